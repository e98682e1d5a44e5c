import { ApiError } from '../../contract/http/errors.ts';
import { appNotFound } from '../../control-plane/refusal-errors.ts';
import { implement } from '../implement.ts';
import { ImageResponse } from '../responses.ts';

export const getAppIcon = implement('apps.icon', async ({ store, appFiles }, { principal, params }) => {
  const app = await store.getApp(params.app_id, principal.accountId);
  if (!app) throw appNotFound(params.app_id);
  if (app.iconType === null)
    throw new ApiError('appNotFound', `app ${app.id} has no bitmap icon; its icon_url is null`);
  return new ImageResponse(app.iconType, await appFiles.readIcon(app.id));
});
