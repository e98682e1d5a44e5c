/** Reads the resource use of processes that cannot be called over IPC, from /proc (proc(5)). Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

/**
 * Clock ticks per second, the unit of CPU times in proc(5). sysconf(_SC_CLK_TCK) is 100 on every Linux that Node
 * supports.
 */
const TICKS_PER_SECOND = 100;

export interface ProcessCost {
  /** CPU time since the start of the processes. */
  cpuSeconds: number;
  /** Proportional set size in bytes: memory shared by several processes is counted once. */
  memory: number;
}

const read = (pid: number, file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8');

function allPids(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

/** Returns what `look` reads about a process, or undefined if the process exited in the meantime. */
function ofLiving<T>(pid: number, look: (pid: number) => T): T | undefined {
  try {
    return look(pid);
  } catch {
    return undefined;
  }
}

/**
 * Finds the processes whose command line (or environment) contains a text that no other process has, such as the path
 * of their folder.
 */
export function pidsWith(text: string, where: 'cmdline' | 'environ'): number[] {
  const found = allPids().filter((pid) => ofLiving(pid, () => read(pid, where).includes(text)));
  if (found.length === 0) throw new Error(`no process has ${text} in its ${where}`);
  return found;
}

/** Returns a process and its current children. */
export function withChildren(parent: number): number[] {
  const isChild = (pid: number) => read(pid, 'status').includes(`\nPPid:\t${parent}\n`);
  return [parent, ...allPids().filter((pid) => ofLiving(pid, isChild))];
}

export const parentOf = (pid: number) => Number(/\nPPid:\t(\d+)\n/.exec(read(pid, 'status'))![1]);

/** The total of these processes. A parent's CPU time includes that of its children that have exited. */
export function costOf(pids: readonly number[]): ProcessCost {
  const costs = pids.flatMap((pid) => ofLiving(pid, costOfOne) ?? []);
  return {
    cpuSeconds: costs.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    memory: costs.reduce((sum, { memory }) => sum + memory, 0),
  };
}

function costOfOne(pid: number): ProcessCost {
  // The fields after the name, which can contain spaces. utime, stime, cutime and cstime are fields 14 to 17.
  const fields = read(pid, 'stat').split(') ').at(-1)!.split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  const pss = /\nPss:\s+(\d+) kB/.exec(read(pid, 'smaps_rollup'))![1];
  return { cpuSeconds: ticks / TICKS_PER_SECOND, memory: Number(pss) * 1024 };
}
