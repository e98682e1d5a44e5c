import type { AdbDevice } from './adb/adb-device.ts';
import { shellLine } from './adb/quote.ts';
import { shellEach } from './adb/shell-batch.ts';
import { failureOf } from './adb/shell-result.ts';

/** Android 14, the first version with `am clear-recent-apps`. */
const CLEAR_RECENT_APPS_SDK = 34;
const HOME_STACK = 0;

/** Tasks that Android groups together: a stack, called a root task since Android 12. */
export interface TaskStack {
  id: number;
  packages: string[];
}

/** Reads the open apps, without the home screen. Returns an empty list if the phone does not answer. */
export async function listTasks(device: AdbDevice, signal: AbortSignal): Promise<TaskStack[]> {
  const [result] = await shellEach(device, ['am stack list'], { signal });
  return failureOf(result!) === null ? parseTasks(result!.stdout.toString('utf8')) : [];
}

/** Source: AOSP ActivityManager.StackInfo and, since Android 12, ActivityTaskManager.RootTaskInfo, toString(). */
export function parseTasks(text: string): TaskStack[] {
  const stacks: TaskStack[] = [];
  let isApps = false;
  for (const line of text.split('\n')) {
    const id = /^\s*(?:Stack|RootTask) id=(\d{1,9}) /.exec(line)?.[1];
    const type = /\bmActivityType=(\w+)/.exec(line)?.[1];
    const name = /^\s*taskId=\d+: ([A-Za-z][\w.]{0,254})\//.exec(line)?.[1];
    if (id !== undefined) {
      isApps = Number(id) !== HOME_STACK;
      if (isApps) stacks.push({ id: Number(id), packages: [] });
    }
    if (type !== undefined && type !== 'standard' && type !== 'undefined' && isApps) {
      stacks.pop();
      isApps = false;
    }
    if (name !== undefined && isApps) stacks.at(-1)!.packages.push(name);
  }
  return stacks;
}

/** Removes the tasks from the screen and from the list of recent apps. */
export async function removeTasks(
  device: AdbDevice,
  stacks: TaskStack[],
  sdk: number,
  signal: AbortSignal,
): Promise<void> {
  const removals = stacks.map(({ id }) => shellLine('am', 'stack', 'remove', id));
  const lines = sdk >= CLEAR_RECENT_APPS_SDK ? ['am clear-recent-apps'] : removals;
  await shellEach(device, lines, { signal });
}
