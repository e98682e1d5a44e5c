import { useEffect, useState } from 'react';
import type { App } from '../../../contract/app.ts';
import type { Session } from '../../../contract/session.ts';
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
  /** The app that is or was installed last; null without one, and once its failure was waved away. */
  current: (InstallView & { app: App | undefined }) | null;
  /** How many were seen to be installed: what is on the phone changed each time, be it the same app again. */
  installs: number;
  uploads: Uploads;
  install(appId: string): void;
  /** Uploads a file and installs it. */
  installFiles(files: readonly File[]): void;
  dismiss(): void;
}

/** Apps on their way to a session's phone. */
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
      // It may be there before this answer is: what the phone tells takes another way.
      onSuccess: () => setAwaited(appId),
      onError: (error) => toast(errorSentence(error), { tone: 'bad' }),
    });
  };
  const uploads = useUploads((app) => install(app.id));
  const view = installView(session, progress);
  const app = useApp(view?.appId ?? null);
  const { can, run } = control;
  useEffect(() => {
    if (!view) return;
    if (view.state === 'pending' || view.state === 'installing') setAwaited(view.appId);
    // Only what was seen on its way: a page that is loaded later has nothing to announce.
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
