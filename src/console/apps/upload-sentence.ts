import { ServiceError } from '../../client/service-error.ts';
import { ERRORS, type FieldError } from '../../contract/http/errors.ts';
import { errorSentence } from '../data/error-sentence.ts';
import { texts } from '../texts.ts';

const ABOUT_THE_FILE: ReadonlySet<number> = new Set([ERRORS.invalid.code, ERRORS.bodyTooLarge.code]);

/**
 * Returns why the service rejected a file. The service reports it for the field `body`, which a user knows as the
 * file.
 */
export function uploadSentence(error: unknown): string {
  if (!(error instanceof ServiceError) || !ABOUT_THE_FILE.has(error.code)) return errorSentence(error);
  const errors = (error.data.errors ?? []) as FieldError[];
  const words = errors.find(({ field }) => field === 'body')?.message ?? error.message.replace(/^body /, '');
  return texts.apps.refusedFile(words.replace(/\.$/, ''));
}
