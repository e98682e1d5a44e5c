import type { Usage } from '../black-box/kit/api.ts';
import { describe, type FinalAccount, type Operation, type SessionHistory } from './history.ts';

/** The data of a connect or an extend that was rejected with 40011. */
interface Shortfall {
  kind: 'minutes' | 'sessions';
  limit: number;
  used: number;
  requested: number;
}

/**
 * Checks that an account never exceeded its limits, that only those limits caused rejections, and that every
 * reservation was settled once.
 */
export function checkQuota(
  account: FinalAccount,
  histories: SessionHistory[],
  operations: Operation[],
): string[] {
  return [
    ...checkMoments(account, histories),
    ...operations.flatMap((operation) => checkFigures(account, operation)),
    ...checkSum(account, histories),
  ];
}

/**
 * Checks the limits at each relevant moment. An account holds at least the acknowledged minutes of its sessions that
 * are certainly live, and the final charge of its other known sessions.
 */
function checkMoments({ name, limits }: FinalAccount, histories: SessionHistory[]): string[] {
  const moments = histories.flatMap(({ held, extensions }) => [
    ...(held ? [held.from] : []),
    ...extensions.flatMap(({ answeredAt }) => (answeredAt === null ? [] : [answeredAt])),
  ]);
  const found: string[] = [];
  for (const moment of moments) {
    const known = histories.filter(({ observations }) => observations.some(({ at }) => at <= moment));
    const live = known.filter(({ held }) => held && held.from <= moment && moment < held.until);
    const minutes = known.reduce((sum, historyOf) => sum + leastMinutes(historyOf, moment), 0);
    if (limits.minutes !== null && minutes > limits.minutes)
      found.push(`overspent: ${name} held ${minutes} of ${limits.minutes} minutes at ${moment}`);
    if (limits.sessions !== null && live.length > limits.sessions)
      found.push(`overspent: ${name} held ${live.length} of ${limits.sessions} sessions at ${moment}`);
  }
  return found;
}

function leastMinutes({ held, baseMinutes, extensions, row }: SessionHistory, moment: number): number {
  const extended = extensions.filter(({ answeredAt }) => answeredAt !== null && answeredAt <= moment);
  const acknowledged = extended.reduce((sum, { minutes }) => sum + minutes, baseMinutes);
  const isLive = held !== null && held.from <= moment && moment < held.until;
  return isLive ? acknowledged : Math.min(acknowledged, row.minutes_charged ?? 0);
}

/** Checks the figures about an account's usage in `GET /usage` and in the service's quota errors. */
function checkFigures({ limits }: FinalAccount, operation: Operation): string[] {
  const { answer, request } = operation;
  if (answer?.code === 0 && request.do === 'usage') {
    const { minutes, sessions } = answer.data as Usage;
    const isRight =
      minutes.limit === limits.minutes &&
      sessions.limit === limits.sessions &&
      minutes.reserved <= minutes.used &&
      minutes.used <= (limits.minutes ?? Number.POSITIVE_INFINITY) &&
      sessions.live <= (limits.sessions ?? Number.POSITIVE_INFINITY);
    return isRight ? [] : [`overspent by its own account: ${describe(operation)}`];
  }
  if (answer?.code !== 40011) return [];
  const { kind, limit, used, requested } = answer.data as Shortfall;
  const isRight = limit === limits[kind] && used <= limit && used + requested > limit;
  return isRight ? [] : [`rejected without a reason: ${describe(operation)}`];
}

function checkSum({ name, usage }: FinalAccount, histories: SessionHistory[]): string[] {
  const charged = histories.reduce((sum, { row }) => sum + (row.minutes_charged ?? 0), 0);
  const { used, reserved } = usage.minutes;
  if (used === charged && reserved === 0 && usage.sessions.live === 0) return [];
  const says = `${used} used, ${reserved} reserved, ${usage.sessions.live} live`;
  return [
    `not settled exactly once: ${name} was charged ${charged} minutes in all, but its usage says ${says}`,
  ];
}
