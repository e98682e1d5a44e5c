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

/** The whole public interface, on a deployment whose account nobody else uses meanwhile. */
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
  // Only now: the session that expired was of the same account.
  usageSuite(target);
}
