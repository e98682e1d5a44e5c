import type { FastifyReply, FastifyRequest } from 'fastify';
import { ATTEMPT_S, type SignInContext, sealingKeys, turnAway } from './context.ts';
import type { Attempt } from './provider.ts';
import { seal } from './seal.ts';

export const ATTEMPT = 'sign-in attempt';

/** An attempt as the browser keeps it. */
export interface SealedAttempt extends Attempt {
  /** Unix milliseconds. */
  until: number;
}

/** Sends the browser to the provider, with what has to be known again in a cookie: any process may take it back. */
export async function start(
  context: SignInContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  try {
    const { url, attempt } = await context.provider.begin();
    const kept: SealedAttempt = { ...attempt, until: Date.now() + ATTEMPT_S * 1_000 };
    const sealed = seal(await sealingKeys(context), ATTEMPT, kept);
    return reply.header('set-cookie', context.cookies.attempt.holding(sealed)).redirect(url);
  } catch (error) {
    return turnAway(context, request, reply, error);
  }
}
