/** What processes that are not ours to ask have used, from /proc (proc(5)): Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

/** Of proc(5), in whose units CPU times are: sysconf(_SC_CLK_TCK) is 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

export interface ProcessCost {
  /** Since the start. */
  cpuSeconds: number;
  /** Proportional set size: what is shared between processes is counted once. Bytes. */
  memory: number;
}

const read = (pid: number, file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8');

function allPids(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

/** What a process that may end meanwhile says; undefined when it did. */
function ofLiving<T>(pid: number, look: (pid: number) => T): T | undefined {
  try {
    return look(pid);
  } catch {
    return undefined;
  }
}

/** The processes whose command line (or environment) holds a text that no other's does, such as a folder of theirs. */
export function pidsWith(text: string, where: 'cmdline' | 'environ'): number[] {
  const found = allPids().filter((pid) => ofLiving(pid, () => read(pid, where).includes(text)));
  if (found.length === 0) throw new Error(`no process has ${text} in its ${where}`);
  return found;
}

/** A process and its children, as they are now. */
export function withChildren(parent: number): number[] {
  const isChild = (pid: number) => read(pid, 'status').includes(`\nPPid:\t${parent}\n`);
  return [parent, ...allPids().filter((pid) => ofLiving(pid, isChild))];
}

export const parentOf = (pid: number) => Number(/\nPPid:\t(\d+)\n/.exec(read(pid, 'status'))![1]);

/** Of all of them together. What children used that have ended is in their parent's. */
export function costOf(pids: readonly number[]): ProcessCost {
  const costs = pids.flatMap((pid) => ofLiving(pid, costOfOne) ?? []);
  return {
    cpuSeconds: costs.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    memory: costs.reduce((sum, { memory }) => sum + memory, 0),
  };
}

function costOfOne(pid: number): ProcessCost {
  // Behind the name, which may hold spaces: utime, stime, cutime and cstime are fields 14 to 17.
  const fields = read(pid, 'stat').split(') ').at(-1)!.split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  const pss = /\nPss:\s+(\d+) kB/.exec(read(pid, 'smaps_rollup'))![1];
  return { cpuSeconds: ticks / TICKS_PER_SECOND, memory: Number(pss) * 1024 };
}
