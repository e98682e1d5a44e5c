/**
 * Runs one part of a bench and closes everything that it opened when it finishes, when it fails, when its deadline
 * passes, and when the bench is stopped by a signal. The last two exit the process, because the part may still be
 * waiting.
 */
export async function section(
  deadlineMs: number,
  body: (opened: AsyncDisposableStack) => Promise<void>,
): Promise<void> {
  const stop = Promise.withResolvers<string>();
  const stopBy = (signal: string) => stop.resolve(`stopped by ${signal}`);
  const timer = setTimeout(stop.resolve, deadlineMs, `not finished within ${deadlineMs / 1000} s`);
  process.once('SIGINT', stopBy).once('SIGTERM', stopBy);
  const opened = new AsyncDisposableStack();
  let stopped: string | null = null;
  try {
    stopped = await Promise.race([body(opened).then(() => null), stop.promise]);
  } finally {
    clearTimeout(timer);
    process.off('SIGINT', stopBy).off('SIGTERM', stopBy);
    await opened.disposeAsync();
  }
  if (stopped === null) return;
  console.error(stopped);
  process.exit(1);
}
