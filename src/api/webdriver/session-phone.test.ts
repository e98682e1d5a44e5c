import { expect, test, vi } from 'vitest';
import { cropImage } from '../../control-plane/scale-image.ts';
import { takeScreenshot } from '../../control-plane/take-screenshot.ts';
import type { SessionRow } from '../../store/entities.ts';
import { SCREENSHOTS } from '../sessions/screenshot.ts';
import { SessionPhone } from './session-phone.ts';

vi.mock('../../control-plane/scale-image.ts');
vi.mock('../../control-plane/take-screenshot.ts');

test('a screenshot of an element counts against the limit until its part is cut out', async () => {
  const cropped = Promise.withResolvers<Uint8Array>();
  vi.mocked(takeScreenshot).mockResolvedValue(new Uint8Array());
  vi.mocked(cropImage).mockReturnValue(cropped.promise);
  const session = { accountId: 'acc_1' } as SessionRow;
  const phone = new SessionPhone({ session, context: {}, size: { width: 1, height: 1 } } as never);
  const take = () => phone.screenshot({ x: 0, y: 0, width: 1, height: 1 });
  const taken = Array.from({ length: SCREENSHOTS.perSubject }, take);
  await vi.waitFor(() => expect(cropImage).toHaveBeenCalledTimes(taken.length), { timeout: 60_000 });
  await expect(take()).rejects.toMatchObject({ code: 40029 });
  cropped.resolve(new Uint8Array([1]));
  for (const png of await Promise.all(taken)) expect(png).toEqual(new Uint8Array([1]));
  await expect(take()).resolves.toEqual(new Uint8Array([1]));
});
