import { expect, test, vi } from 'vitest';
import { ServiceError } from '../client/service-error.ts';
import { withAdvice } from './advice.ts';
import { printResult, table } from './output.ts';

test('texts of the service cannot control the terminal', () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const name = 'Pixel\u001b]0;title\u0007 \u009b2J';
  printResult({}, {}, table([['NAME'], [name], ['Zürich\t7']]));
  printResult({ json: true }, { name }, '');
  const printed = write.mock.calls.map(([text]) => text);
  write.mockRestore();
  expect(printed).toEqual([
    'NAME\nPixel\ufffd]0;title\ufffd \ufffd2J\nZürich\t7\n',
    '{"name":"Pixel\\u001b]0;title\\u0007 \ufffd2J"}\n',
  ]);
  expect(withAdvice(new ServiceError('failed\u001b[2J', 50300, 503))).toBe('failed\ufffd[2J');
});
