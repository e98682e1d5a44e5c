import { expect, test } from 'vitest';
import { parseProcesses, shellProcesses } from './processes.ts';

const stat = (pid: number, name: string, parent: number, startedAt: number, state = 'S') =>
  `${pid} (${name}) ${state} ${parent} ${pid} ${pid} 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 ${startedAt} 99 100\n`;
const uid = (pid: number, id: number, effective = id) =>
  `/proc/${pid}/status:Uid:\t${id}\t${effective}\t${effective}\t${effective}\n`;

const PROCESSES: [number, string, number, number][] = [
  [1, 'init', 0, 0],
  [200, 'main', 1, 0],
  [300, 'adbd', 1, 2000],
  [500, 'm.android.shell', 200, 2000],
  [600, 'sh', 300, 2000],
  [601, 'grep', 600, 2000],
  [700, 'evil) S 1 (x', 1, 2000],
  [701, 'org.acme.app', 200, 10_101],
  [702, 'sleep', 700, 2000],
];
const TEXT = `600 300\n${PROCESSES.map(([pid, , , id]) => uid(pid, id)).join('')}${PROCESSES.map(([pid, name, parent]) => stat(pid, name, parent, pid * 10)).join('')}`;

test('lists the processes of the shell user, except adbd, the list command itself and children of zygote', () => {
  expect(shellProcesses(parseProcesses(TEXT))).toEqual([
    { pid: 700, parent: 1, name: 'evil) S 1 (x', startedAt: '7000', uids: [2000, 2000, 2000, 2000] },
    { pid: 702, parent: 700, name: 'sleep', startedAt: '7020', uids: [2000, 2000, 2000, 2000] },
  ]);
});

test('includes a process with a different effective user and excludes one that has exited', () => {
  const text = `600 300\n${uid(800, 2000, 0)}${uid(801, 2000)}${stat(800, 'odd', 1, 5)}${stat(801, 'dead', 1, 6, 'Z')}`;
  expect(shellProcesses(parseProcesses(text)).map(({ pid }) => pid)).toEqual([800]);
});
