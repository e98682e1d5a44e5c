import type { ControlNotifications } from '../../../contract/control-methods.ts';
import type { AppStatus, Session } from '../../../contract/session.ts';

export type InstallProgress = ControlNotifications['app.progress'];

export interface InstallView {
  appId: string;
  state: AppStatus;
  /** 0 to 100; null before the phone has said anything. */
  percent: number | null;
  /** Why it failed, as the phone said it. */
  error: string | null;
}

/**
 * What has become of the app that was last asked for: by the session's row, and sooner by what the phone tells while
 * the row does not know the end yet.
 */
export function installView(
  { app_id, app_status, app_error }: Pick<Session, 'app_id' | 'app_status' | 'app_error'>,
  progress: InstallProgress | null,
): InstallView | null {
  if (app_id === null || app_status === null) return null;
  const isOver = app_status === 'installed' || app_status === 'failed';
  if (isOver || progress?.app_id !== app_id) {
    return { appId: app_id, state: app_status, percent: null, error: app_error };
  }
  const { state, percent, message } = progress;
  return { appId: app_id, state, percent, error: message ?? null };
}
