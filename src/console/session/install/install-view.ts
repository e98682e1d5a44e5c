import type { AppStatus, Session } from '../../../contract/http/session.ts';
import type { ControlNotifications } from '../../../contract/sockets/control-notifications.ts';

export type InstallProgress = ControlNotifications['app.progress'];

export interface InstallView {
  appId: string;
  state: AppStatus;
  /** 0 to 100, or null before the phone reports progress. */
  percent: number | null;
  /** The phone's error message if the installation failed. */
  error: string | null;
}

/**
 * Returns the state of the last requested installation. While the session's row does not contain the result yet, the
 * phone's progress notifications take precedence, because they arrive sooner.
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
