/** Follows a file that another program writes. */

import { open } from "node:fs/promises";
import type * as vscode from "vscode";
import { messageOf } from "../parts";

const END_OF_LINE = 10;

/** Reads what is added to a file, line by line. */
export class Tail {
  /** As much of the file has been read, in bytes. */
  private offset = 0;
  /** The beginning of a line whose end has not been written yet. */
  private begun = Buffer.alloc(0);
  private reading: Promise<void> = Promise.resolve();

  constructor(
    private readonly file: string,
    private readonly take: (line: string) => void,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** Read what was added, after all readings before. A line that cannot be taken is logged. */
  read(): Promise<void> {
    this.reading = this.reading
      .then(() => this.readOn())
      .catch((error: unknown) => this.log.error(`${this.file} cannot be read: ${messageOf(error)}`));
    return this.reading;
  }

  private async readOn(): Promise<void> {
    const text = Buffer.concat([this.begun, await this.added()]);
    const end = text.lastIndexOf(END_OF_LINE) + 1;
    this.begun = text.subarray(end);
    for (const line of text.toString("utf8", 0, end).split("\n").filter(Boolean)) {
      try {
        this.take(line);
      } catch (error) {
        this.log.error(`A line of ${this.file} is left out: ${messageOf(error)}`);
      }
    }
  }

  /** The bytes behind those that have been read; none where there is no file yet. */
  private async added(): Promise<Buffer> {
    const file = await open(this.file).catch(() => undefined);
    if (file === undefined) {
      return Buffer.alloc(0);
    }
    try {
      const { size } = await file.stat();
      const wanted = Buffer.alloc(Math.max(0, size - this.offset));
      const { bytesRead } = await file.read(wanted, 0, wanted.length, this.offset);
      this.offset += bytesRead;
      return wanted.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }
}
