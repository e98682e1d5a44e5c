import { expect, test } from 'vitest';
import { ServiceError } from '../../client/service-error.ts';
import { ERRORS } from '../../contract/http/errors.ts';
import { texts } from '../texts.ts';
import { uploadSentence } from './upload-sentence.ts';

test('turns an error about the body into a sentence about the file', () => {
  const errors = [{ field: 'body', message: 'is not an Android app: it is not a valid zip archive' }];
  expect(uploadSentence(new ServiceError('body …', ERRORS.invalid.code, 400, { errors }))).toBe(
    'This file is not an Android app: it is not a valid zip archive.',
  );
});

test('explains that a file is too large', () => {
  const message = 'body is too large; the limit for an app is 2048 MB';
  expect(uploadSentence(new ServiceError(message, ERRORS.bodyTooLarge.code, 413))).toMatch(
    /^This file is too large; the limit for an app is 2048 MB\.$/,
  );
});

test('falls back to the general error sentence', () => {
  expect(uploadSentence(new ServiceError('', 0, 0))).toBe(texts.errors.unreachable);
});
