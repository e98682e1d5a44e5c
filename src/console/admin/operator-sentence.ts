import { ServiceError } from '../../client/service-error.ts';
import { ERRORS } from '../../contract/http/errors.ts';
import { errorSentence } from '../data/error-sentence.ts';
import { adminTexts } from '../texts/admin.ts';

const text = adminTexts.refusals;

const REASONS: Readonly<Record<string, string>> = {
  present: text.present,
  in_use: text.inUse,
  cleaning: text.cleaning,
};

/**
 * Returns why an operator's action was rejected and what to do next. The advice differs from that for users who
 * borrow phones.
 */
export function operatorSentence(error: unknown): string {
  if (!(error instanceof ServiceError)) return errorSentence(error);
  const { code, data } = error;
  const kind = typeof data.kind === 'string' ? data.kind : 'phone';
  switch (code) {
    case ERRORS.forbidden.code:
      return text.forbidden;
    case ERRORS.deviceUnavailable.code:
      return REASONS[String(data.reason)] ?? errorSentence(error);
    case ERRORS.sessionEnded.code:
      return text.noSession;
    case ERRORS.deviceNotFound.code:
    case ERRORS.resourceNotFound.code:
      return text.gone(kind);
    default:
      return errorSentence(error);
  }
}
