import { ServiceError } from '../../client/service-error.ts';
import { ERRORS, type FieldError } from '../../contract/errors.ts';
import { errorSentence } from '../data/error-sentence.ts';
import { texts } from '../texts.ts';

const ABOUT_THE_FILE: ReadonlySet<number> = new Set([ERRORS.invalid.code, ERRORS.bodyTooLarge.code]);

/** Why a file was not taken. The service calls it `body`; for whoever chose it, it is the file. */
export function uploadSentence(error: unknown): string {
  if (!(error instanceof ServiceError) || !ABOUT_THE_FILE.has(error.code)) return errorSentence(error);
  const errors = (error.data.errors ?? []) as FieldError[];
  const words = errors.find(({ field }) => field === 'body')?.message ?? error.message.replace(/^body: /, '');
  return texts.apps.refusedFile(words.replace(/\.$/, ''));
}
