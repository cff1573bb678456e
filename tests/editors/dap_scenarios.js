// Debug sessions with Microsoft's test client for debug adapters, one for each test.
//
//     node dap_scenarios.js SCENARIO ADAPTER PROGRAM
//
// ADAPTER is a command, or the port of one that waits. NODE_PATH has the client. A scenario ends
// well, or the process fails and says what was wrong.
'use strict';
const assert = require('node:assert/strict');
const { DebugClient } = require('@vscode/debugadapter-testsupport');

const [scenario, adapter, program] = process.argv.slice(2);
const thread = { threadId: 1 };
const source = { path: program };
const line = (number, more) => ({ source, breakpoints: [{ line: number, ...more }] });

// Sends a request that lets the program run, and returns the innermost frame where it stops next.
async function stop(client, reason, request, expected) {
  const [response] = await Promise.all([
    client.assertStoppedLocation(reason, { path: program, ...expected }),
    request(),
  ]);
  return response.body.stackFrames[0];
}

// Launches the program, with what `configure` sets, and waits for the first stop.
async function launch(client, reason, expected, configure, more) {
  const configured = client.waitForEvent('initialized').then(async () => {
    await configure();
    await client.configurationDoneRequest();
  });
  const launched = async () => {
    await Promise.all([configured, client.launch({ program, ...more })]);
  };
  return stop(client, reason, launched, expected);
}

// The variables of a scope, by their names.
async function variables(client, frame, scope) {
  const { body } = await client.scopesRequest({ frameId: frame.id });
  const found = body.scopes.find(each => each.name === scope);
  assert.ok(found, `${scope} is not among ${body.scopes.map(each => each.name)}`);
  const answer = await client.variablesRequest({ variablesReference: found.variablesReference });
  return Object.fromEntries(answer.body.variables.map(variable => [variable.name, variable]));
}

// The first notation of a value: a decimal number.
async function value(client, expression, context = 'watch') {
  const { body } = await client.evaluateRequest({ expression, context, frameId: 1 });
  return body.result.split(' ')[0];
}

// Lets the program run to its end, and returns the exit code.
async function end(client, request) {
  const events = [client.waitForEvent('exited'), client.waitForEvent('terminated')];
  const [exited] = await Promise.all([...events, request()]);
  return exited.body.exitCode;
}

async function refusal(promise) {
  return promise.then(
    () => assert.fail('a refusal is expected'),
    error => error.message,
  );
}

const scenarios = {
  async walk(client) {
    await client.hitBreakpoint({ program }, { path: program, line: 6 });
    const { body } = await client.stackTraceRequest(thread);
    const [frame, loop] = body.stackFrames;
    assert.equal(frame.instructionPointerReference, '0x2');
    assert.match(loop.name, /loop/);
    assert.equal((await variables(client, frame, 'Loop registers')).lr1.value.split(' ')[0], '0');
    await stop(client, 'step', () => client.nextRequest(thread), { line: 7 });
    await stop(client, 'breakpoint', () => client.continueRequest(thread), { line: 6 });
    assert.equal(await value(client, 'lr1'), '1');
    await stop(client, 'step', () => client.stepBackRequest(thread), { line: 7 });
    assert.equal(await value(client, 'lr1'), '1');
    await stop(client, 'step', () => client.stepBackRequest(thread), { line: 6 });
    assert.equal(await value(client, 'lr1'), '0');
    assert.equal(await value(client, 'lr1 * 2 + 0x10', 'repl'), '16');
    await client.setBreakpointsRequest({ source, breakpoints: [] });
    await stop(client, 'breakpoint', () => client.continueRequest(thread), { line: 8 });
    assert.equal(await value(client, 'lr1'), '8');
    assert.equal(await end(client, () => client.continueRequest(thread)), 0);
  },

  async condition(client) {
    const set = () => client.setBreakpointsRequest(line(6, { condition: 'lr1 == 5' }));
    await launch(client, 'breakpoint', { line: 6 }, set);
    assert.equal(await value(client, 'lr1'), '5');
  },

  async backwards(client) {
    await launch(client, 'breakpoint', { line: 8 }, async () => {});
    await client.setBreakpointsRequest(line(6, { condition: 'lr1 < 3' }));
    await stop(client, 'breakpoint', () => client.reverseContinueRequest(thread), { line: 6 });
    assert.equal(await value(client, 'lr1'), '2');
  },

  async edit(client) {
    const set = () => client.setFunctionBreakpointsRequest({ breakpoints: [{ name: 'loop' }] });
    const frame = await launch(client, 'function breakpoint', { line: 6 }, set);
    const { body } = await client.scopesRequest({ frameId: frame.id });
    const { variablesReference } = body.scopes.find(each => each.name === 'Loop registers');
    await client.setVariableRequest({ variablesReference, name: 'lr1', value: '0x7' });
    assert.equal(await value(client, 'lr1'), '7');
    await client.setFunctionBreakpointsRequest({ breakpoints: [] });
    await stop(client, 'breakpoint', () => client.continueRequest(thread), { line: 8 });
    assert.equal(await value(client, 'cycle'), '5');
  },

  async data(client) {
    let dataId;
    await launch(client, 'entry', { line: 3 }, async () => {}, { stopOnEntry: true });
    ({ body: { dataId } } = await client.dataBreakpointInfoRequest({ name: 'lr1' }));
    const breakpoints = [{ dataId, accessType: 'write', condition: 'lr1 == 4' }];
    await client.setDataBreakpointsRequest({ breakpoints });
    await stop(client, 'data breakpoint', () => client.continueRequest(thread), {});
    assert.equal(await value(client, 'lr1'), '4');
  },

  async fault(client) {
    const cr = { 0: '0x1fffff' };
    await launch(client, 'exception', { line: 2 }, async () => {}, { cr });
    const { body } = await client.exceptionInfoRequest(thread);
    assert.match(body.exceptionId, /fault/);
    assert.match(body.description, /xmem/);
    await stop(client, 'step', () => client.stepBackRequest(thread), { line: 1 });
  },

  async explore(client) {
    const entry = await launch(client, 'entry', { line: 3 }, async () => {}, { stopOnEntry: true });
    assert.equal((await client.threadsRequest()).body.threads[0].id, 1);
    const { body: { targets } } = await client.completionsRequest({ text: 'lr1', column: 4 });
    assert.deepEqual(targets.map(({ label }) => label).slice(0, 2), ['lr1', 'lr10']);
    const { body: { instructions } } = await client.disassembleRequest({
      memoryReference: entry.instructionPointerReference, instructionCount: 4,
    });
    assert.deepEqual(instructions.map(({ address }) => address), ['0x0', '0x1', '0x2', '0x3']);
    assert.equal((await client.modulesRequest()).body.modules.length, 1);
    const { body } = await client.gotoTargetsRequest({ source, line: 8 });
    const there = { ...thread, targetId: body.targets[0].id };
    await stop(client, 'goto', () => client.gotoRequest(there), { line: 8 });
    await stop(client, 'entry', () => client.restartRequest({}), { line: 3 });
    assert.match(await value(client, 'pc'), /^0/);
  },

  async pause(client) {
    const initialized = client.waitForEvent('initialized');
    await Promise.all([initialized, client.launch({ program })]);
    await client.configurationDoneRequest();
    assert.match(await refusal(client.stackTraceRequest(thread)), /running/);
    await stop(client, 'pause', () => client.pauseRequest(thread), {});
    assert.ok(Number(await value(client, 'cycle')) > 0);
    const ended = client.waitForEvent('terminated');
    await client.terminateRequest();
    await ended;
  },

  async refuse(client) {
    await client.initializeRequest();
    assert.match(await refusal(client.launchRequest({ program })), /unknown mnemonic/);
    assert.match(await refusal(client.attachRequest({})), /launch/);
    assert.match(await refusal(client.customRequest('teleport')), /teleport/);
  },
};

async function play() {
  const client = new DebugClient(adapter, '--stdio', 'ipu', undefined, true);
  client.defaultTimeout = 30_000;
  await client.start(/^\d+$/.test(adapter) ? Number(adapter) : undefined);
  try {
    await scenarios[scenario](client);
  } finally {
    await client.stop();
  }
}

play().then(
  () => process.exit(0),
  error => {
    console.error(error);
    process.exit(1);
  },
);
