import { expect, it } from 'vitest';
import { OpenRequests } from './open-requests';
import { describeRequest } from './requests';

const request = (itemId: string) =>
  describeRequest(
    'item/commandExecution/requestApproval',
    { itemId, command: 'ls' },
    { cwd: '/', changesOf: () => null },
  )!;
const sent: unknown[] = [];
const send = async (id: unknown, result: unknown) => sent.push([id, result]) > 0;

it('sends one answer, to the id the request has on this connection', async () => {
  const open = new OpenRequests();
  open.add(3, request('a'));
  open.disconnected();
  expect(await open.answer('a', 'allow', {}, send)).toBe('gone');
  open.add(0, request('a'));
  const both = await Promise.all([open.answer('a', 'allow', {}, send), open.answer('a', 'deny', {}, send)]);
  expect(both).toEqual(['taken', 'gone']);
  expect(sent.splice(0)).toEqual([[0, { decision: 'accept' }]]);
  expect(open.resolved(0)).toMatchObject([{ vendorRef: 'a', how: 'confirmed' }]);
});

it('a send that failed can be tried again', async () => {
  const open = new OpenRequests();
  open.add(1, request('a'));
  expect(await open.answer('a', 'deny', {}, async () => false)).toBe('gone');
  expect(await open.answer('a', 'deny', {}, send)).toBe('taken');
  expect(sent.splice(0)).toEqual([[1, { decision: 'decline' }]]);
});

it('of several that waited, only those that are not repeated are settled', () => {
  const open = new OpenRequests();
  open.add(1, request('a'));
  open.add(2, request('b'));
  open.disconnected();
  open.add(1, request('b'));
  expect(open.notRepeated()).toMatchObject([{ vendorRef: 'a', how: 'answered-elsewhere' }]);
  expect(open.notRepeated()).toEqual([]);
  expect(open.turnEnded()).toMatchObject([{ vendorRef: 'b', how: 'cancelled' }]);
});

it('another request that is resolved is nothing of ours', () => {
  const open = new OpenRequests();
  open.add(1, request('a'));
  expect(open.resolved(9)).toEqual([]);
  expect(open.resolved(1)).toMatchObject([{ how: 'answered-elsewhere' }]);
});
