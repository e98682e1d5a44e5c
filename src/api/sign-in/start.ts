import type { FastifyReply, FastifyRequest } from 'fastify';
import { ATTEMPT_S, rejectSignIn, type SignInContext, sealingKeys } from './context.ts';
import type { Attempt } from './provider.ts';
import { seal } from './seal.ts';

export const ATTEMPT = 'sign-in attempt';

/** The content of the sealed cookie that the browser stores. */
export interface SealedAttempt extends Attempt {
  /** When the attempt expires, Unix milliseconds. */
  until: number;
}

/**
 * Redirects the browser to the provider. The state of the attempt is stored in a cookie, so that any process can
 * handle the browser's return.
 */
export async function start(
  context: SignInContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  try {
    const { url, attempt } = await context.provider.begin();
    const kept: SealedAttempt = { ...attempt, until: Date.now() + ATTEMPT_S * 1_000 };
    const sealed = await seal(await sealingKeys(context), ATTEMPT, kept);
    return reply.header('set-cookie', context.cookies.attempt.setHeader(sealed)).redirect(url);
  } catch (error) {
    return rejectSignIn(context, request, reply, error);
  }
}
