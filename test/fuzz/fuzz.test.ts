import { expect, test } from 'vitest';
import { isNightly } from '../nightly.ts';
import { Finding, runCampaign } from './engine/campaign.ts';
import { TARGET_NAMES, targetUrl } from './engine/targets.ts';

/** Fixed, so that every run uses the same inputs. `npm run fuzz` generates others. */
const SEED = 1;
const RUNS = isNightly ? 20_000 : 200;
/** Time limit for targets whose inputs take a hundred times as long as those of other targets. */
const MS = isNightly ? 10_000 : 150;

test.each(TARGET_NAMES)('no input violates the invariants of the target: %s', async (name) => {
  const { kept } = await runCampaign({ url: targetUrl(name), seed: SEED, runs: RUNS, ms: MS });
  expect(kept).toBeGreaterThan(0);
});

const sample = (name: string) => new URL(`./samples/${name}.ts`, import.meta.url).href;

test.each([
  ['later', 'unhandled rejection'],
  ['slow', 'ms of CPU time; the limit is 200'],
  ['endless', 'not finished after 2 s', 2_000],
  ['hoard', 'out of memory'],
])('a finding names its input: %s', async (word, what, stuckMs?: number) => {
  const only = Buffer.from(word);
  const campaign = runCampaign({ url: sample('misbehaving'), seed: SEED, runs: 1, ms: MS, only }, stuckMs);
  const finding = await campaign.catch((error: unknown) => error);
  expect(finding).toBeInstanceOf(Finding);
  expect(finding).toMatchObject({ input: only, message: expect.stringContaining(what) });
});

test('finds an input that is reachable only with coverage feedback', async () => {
  const campaign = runCampaign({ url: sample('hidden'), seed: SEED, runs: 1_000_000, ms: 60_000 });
  const finding = await campaign.catch((error: unknown) => error);
  expect(finding).toMatchObject({ message: expect.stringContaining('Error: found') });
  expect((finding as Finding).input.subarray(0, 4).toString()).toBe('fuz!');
});
