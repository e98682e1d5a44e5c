import { useEffect, useState } from 'react';
import type { App } from '../../../contract/http/app.ts';
import type { Session } from '../../../contract/http/session.ts';
import { type Uploads, useUploads } from '../../apps/use-uploads.ts';
import { useApp } from '../../data/app-queries.ts';
import { errorSentence } from '../../data/error-sentence.ts';
import { useInstall } from '../../data/queries.ts';
import { texts } from '../../texts.ts';
import { toast } from '../../ui/toasts.tsx';
import { type Control, useNotifications } from '../use-control.ts';
import { type InstallProgress, type InstallView, installView } from './install-view.ts';

const text = texts.apps;

export interface Installation {
  /**
   * The app that is being installed or was installed last. Null if there is none, and once its failure was dismissed.
   */
  current: (InstallView & { app: App | undefined }) | null;
  /**
   * Number of installations that completed while this component was mounted. The phone's apps change with each, even
   * if the same app is installed again.
   */
  installs: number;
  uploads: Uploads;
  install(appId: string): void;
  /** Uploads a file and installs the app. Several files at once are rejected with a message. */
  installFiles(files: readonly File[]): void;
  dismiss(): void;
}

/** Installs apps on a session's phone. */
export function useInstallation(session: Session, control: Control): Installation {
  const [progress, setProgress] = useState<InstallProgress | null>(null);
  const [dismissed, setDismissed] = useState(false);
  const [installs, setInstalls] = useState(0);
  const [awaited, setAwaited] = useState<string | null>(null);
  const request = useInstall(session.session_id);
  useNotifications(control, ({ method, params }) => {
    if (method === 'app.progress') setProgress(params);
  });
  const install = (appId: string) => {
    setProgress(null);
    setDismissed(false);
    request.mutate(appId, {
      // The app may be installed before this response arrives, because the phone's notifications use another
      // connection.
      onSuccess: () => setAwaited(appId),
      onError: (error) => toast(errorSentence(error), { tone: 'bad' }),
    });
  };
  const uploads = useUploads({ onUploaded: (app) => install(app.id), keepsFailures: false });
  const view = installView(session, progress);
  const app = useApp(view?.appId ?? null);
  const { can, run } = control;
  useEffect(() => {
    if (!view) return;
    if (view.state === 'pending' || view.state === 'installing') setAwaited(view.appId);
    // Announces only an installation that this page has seen in progress. A page that is loaded later announces
    // nothing.
    if (view.state !== 'installed' || awaited !== view.appId || !app) return;
    setAwaited(null);
    setInstalls((count) => count + 1);
    const open = { label: text.open, run: () => run('app.launch', { package: app.package }) };
    toast(text.installed(app.name), can('app.launch') ? { action: open } : {});
  });
  return {
    current: view === null || dismissed ? null : { ...view, app },
    installs,
    uploads,
    install,
    installFiles: (files) =>
      files.length === 1 ? uploads.add(files) : toast(texts.tools.apps.oneFile, { tone: 'bad' }),
    dismiss: () => setDismissed(true),
  };
}
