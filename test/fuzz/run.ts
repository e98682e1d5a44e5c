// `npm run fuzz [target] [-- seconds]` runs one target or all targets, each for this long (default 60 s). With
// `--input` and a base64 value, it runs only that input.
import { parseArgs } from 'node:util';
import { Finding, runCampaign } from './engine/campaign.ts';
import { TARGET_NAMES, targetUrl } from './engine/targets.ts';

const DEFAULT_SECONDS = 60;
const isNumber = (word: string) => /^\d+$/.test(word);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { input: { type: 'string' }, seed: { type: 'string' } },
});
const seconds = Number(positionals.find(isNumber) ?? DEFAULT_SECONDS);
const chosen = positionals.filter((word) => !isNumber(word));
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
const only = values.input === undefined ? undefined : Buffer.from(values.input, 'base64');
const say = (line: string) => process.stdout.write(`${line}\n`);

say(`seed ${seed}`);
for (const target of chosen.length > 0 ? chosen : TARGET_NAMES) {
  try {
    const bounds = { runs: Number.MAX_SAFE_INTEGER, ms: seconds * 1_000 };
    const report = await runCampaign({ url: targetUrl(target), seed, ...bounds, only });
    if (only) {
      say(`${target}: it does nothing that it never may`);
      continue;
    }
    const share = Math.round((100 * report.covered) / report.characters);
    const reached = `${report.functions} functions reached, ${share} % of their code`;
    say(
      `${target}: ${report.runs} inputs in ${Math.round(report.seconds)} s, ${report.kept} kept; ${reached}`,
    );
  } catch (error) {
    // The campaign found a failure, or the target does not exist.
    if (!(error instanceof Finding || error instanceof RangeError)) throw error;
    say(error.message);
    process.exitCode = 1;
  }
}
