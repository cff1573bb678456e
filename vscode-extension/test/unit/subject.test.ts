/** Which programs a command can be about. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { NEEDS_DISK, subject, subjectOnDisk } from "../../src/commands/subject";
import { editor } from "./vscode";

const program = (scheme: string) => ({
  languageId: "ipu-asm",
  uri: { scheme, path: "/work/kernel.s" },
});

test("what starts a program says of one in a virtual workspace that it is on no disk", async () => {
  const remote = program("vscode-vfs");
  editor.document = remote;
  assert.equal(await subject(undefined), remote);
  assert.equal(await subjectOnDisk(undefined), undefined);
  assert.deepEqual(editor.errors, [`kernel.s is on no disk. ${NEEDS_DISK}`]);
  for (const scheme of ["file", "untitled"]) {
    const found = program(scheme);
    editor.document = found;
    assert.equal(await subjectOnDisk(undefined), found);
  }
  assert.equal(editor.errors.length, 1);
});
