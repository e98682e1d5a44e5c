import type { Target } from '../kit/target.ts';
import { appsSuite } from './apps.ts';
import { connectSuite } from './connect.ts';
import { controlSuite } from './control.ts';
import { devicesSuite } from './devices.ts';
import { documentsSuite } from './documents.ts';
import { expiryAfter, watchExpiry } from './expiry.ts';
import { requestsSuite } from './requests.ts';
import { sessionsSuite } from './sessions.ts';
import { streamSuite } from './stream.ts';
import { usageSuite } from './usage.ts';

/** Tests the whole public interface of a deployment. No other client may use the account in the meantime. */
export function publicInterface(target: Target): void {
  const expiry = watchExpiry(target);
  documentsSuite(target);
  devicesSuite(target);
  connectSuite(target);
  sessionsSuite(target);
  requestsSuite(target);
  streamSuite(target);
  controlSuite(target);
  appsSuite(target);
  expiryAfter(target, expiry);
  // Runs last, because the session that expired belongs to the same account.
  usageSuite(target);
}
