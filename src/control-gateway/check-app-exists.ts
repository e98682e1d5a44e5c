import { ERRORS } from '../contract/http/errors.ts';
import type { ControlParams } from '../contract/sockets/control-methods.ts';
import { STORE_TIMEOUT_MS } from '../gateway/upgrade-authenticator.ts';
import type { Store } from '../store/store.ts';
import { withDeadline } from '../util/deadline.ts';
import { RpcError } from './json-rpc.ts';

/**
 * Checks `app.install` parameters, because hosts install any app that they are asked to.
 * @throws RpcError unless the app belongs to this account
 * @throws StoreUnavailableError
 * @throws TimeoutError
 */
export async function checkAppExists(
  store: Pick<Store, 'getApp'>,
  accountId: string,
  params: unknown,
): Promise<void> {
  const { app_id } = params as ControlParams<'app.install'>;
  const late = 'the database did not answer; try again';
  const app = await withDeadline(store.getApp(app_id, accountId), STORE_TIMEOUT_MS, late);
  if (app) return;
  const message = 'is not an app of this account; list the apps for valid ids';
  const errors = [{ field: 'params.app_id', message }];
  throw new RpcError('invalidParams', `params.app_id ${message}`, {
    code: ERRORS.appNotFound.code,
    errors,
  });
}
