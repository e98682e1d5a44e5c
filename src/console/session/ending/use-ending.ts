import { useState } from 'react';
import type { Session } from '../../../contract/http/session.ts';
import { useClient } from '../../account/account.tsx';
import { errorSentence } from '../../data/error-sentence.ts';
import { useEndSession } from '../../data/queries.ts';
import { toast } from '../../ui/toasts.tsx';
import type { Installation } from '../install/use-installation.ts';

/** Maximum number of watch links of a session. */
const LINKS_PAGE = 100;
/** A service that does not answer sooner must not keep the user from ending the session. */
const CHECK_MS = 2_000;

/** Reasons to ask the user before the session ends. */
export interface EndDoubts {
  /** Watch links with which other people can watch. */
  watchLinks: number;
  isInstalling: boolean;
}

export interface Ending {
  /** Ends the session, or asks first if other people can watch or an app is being installed. */
  request(): void;
  confirm(): void;
  cancel(): void;
  isPending: boolean;
  error: unknown;
  /** Not null while the user is asked. */
  doubts: EndDoubts | null;
}

export function useEnding(session: Session, installation: Installation): Ending {
  const client = useClient();
  const end = useEndSession(session.session_id);
  const [isChecking, setChecking] = useState(false);
  const [doubts, setDoubts] = useState<EndDoubts | null>(null);
  const countLinks = async () => {
    const signal = AbortSignal.timeout(CHECK_MS);
    const { items } = await client.listWatchLinks(session.session_id, { page_size: LINKS_PAGE }, signal);
    return items.filter(({ revoked_at }) => revoked_at === null).length;
  };
  const request = async () => {
    const state = installation.current?.state;
    const isInstalling = state === 'pending' || state === 'installing';
    setChecking(true);
    const watchLinks = await countLinks().catch(() => 0);
    setChecking(false);
    if (watchLinks > 0 || isInstalling) setDoubts({ watchLinks, isInstalling });
    else end.mutate(undefined, { onError: (error) => toast(errorSentence(error), { tone: 'bad' }) });
  };
  return {
    request: () => {
      if (!isChecking && !end.isPending) void request();
    },
    confirm: () => end.mutate(),
    cancel: () => setDoubts(null),
    isPending: isChecking || end.isPending,
    error: end.error,
    doubts,
  };
}
