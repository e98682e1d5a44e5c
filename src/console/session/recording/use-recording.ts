import { useEffect, useRef, useState } from 'react';
import type { RecordingEnd, SessionRecorder } from '../../../client/recording/session-recorder.ts';
import type { Session } from '../../../contract/http/session.ts';
import { errorSentence } from '../../data/error-sentence.ts';
import { formatBytes } from '../../data/format-bytes.ts';
import { texts } from '../../texts.ts';
import { holdReload } from '../../ui/reload-once.ts';
import { toast } from '../../ui/toasts.tsx';
import { captures } from '../captures/capture-list.ts';
import { fileNameNow, saveFile } from '../save-file.ts';
import { nameOfPhone } from '../session-view.ts';
import type { ScreenPlayer } from '../video/screen-player.ts';

const text = texts.recording;

export interface Recording {
  /** starting: no frame has been recorded yet. saving: the recording has ended and is being finalized. */
  phase: 'off' | 'starting' | 'recording' | 'saving';
  /** Time of the first recorded frame by `performance.now()`. */
  since: number | null;
  /** Starts a recording, or ends the running one. */
  toggle(): void;
}

/**
 * Records what a player plays, from `toggle` until the next `toggle` or until the component unmounts, and then saves
 * the file, and keeps it in the gallery of the session.
 */
export function useRecording(
  player: ScreenPlayer | null,
  requestKeyframe: () => void,
  session: Pick<Session, 'session_id' | 'device_id' | 'device_name'>,
): Recording {
  const [state, setState] = useState<Omit<Recording, 'toggle'>>({ phase: 'off', since: null });
  const running = useRef<{ stop(): void } | null>(null);
  useEffect(() => () => running.current?.stop(), []);
  useWarningBeforeLeaving(state.phase !== 'off');

  const start = async (from: ScreenPlayer, finish: () => void) => {
    const loading = { stop: finish };
    running.current = loading;
    setState({ phase: 'starting', since: null });
    const loaded = await loadRecorder().catch(() => null);
    if (running.current !== loading) return;
    if (!loaded) {
      finish();
      return toast(texts.errors.notLoaded, { tone: 'bad' });
    }
    const { SessionRecorder, storage } = loaded;
    if (!storage.isOnDisk) toast(text.inMemory(formatBytes(storage.maxBytes)));
    const recorder: SessionRecorder<Blob> = new SessionRecorder({
      storage,
      requestKeyframe,
      onBegin: () => setState({ phase: 'recording', since: performance.now() }),
      onEnd: (end, files) => {
        untap();
        finish();
        save(end, files, session);
      },
    });
    const untap = from.tap(recorder);
    running.current = {
      stop: () => {
        setState((before) => ({ ...before, phase: 'saving' }));
        recorder.stop();
      },
    };
  };

  return {
    ...state,
    toggle: () => {
      if (state.phase === 'saving') return;
      if (running.current) running.current.stop();
      else if (player) {
        // Leaving the page stops the recording, but the video is saved some time later.
        const release = holdReload();
        const finish = () => {
          release();
          running.current = null;
          setState({ phase: 'off', since: null });
        };
        start(player, finish).catch((error: unknown) => {
          finish();
          toast(text.failed(errorSentence(error)), { tone: 'bad' });
        });
      }
    },
  };
}

async function loadRecorder() {
  const [{ SessionRecorder }, { openStorage }] = await Promise.all([
    import('../../../client/recording/session-recorder.ts'),
    import('./storage.ts'),
  ]);
  return { SessionRecorder, storage: await openStorage() };
}

function save(end: RecordingEnd, files: readonly Blob[], session: Parameters<typeof useRecording>[2]): void {
  const [first, extension] = [fileNameNow(nameOfPhone(session), ''), '.mp4'];
  for (const [at, file] of files.entries()) {
    const name = `${first}${at === 0 ? '' : `-${at + 1}`}${extension}`;
    captures.add({ sessionId: session.session_id, kind: 'video', name, file });
    saveFile(file, name);
  }
  const problem = problemOf(end);
  if (problem) toast(problem, { tone: 'bad' });
  if (files.length > 0) toast(text.saved(files.length));
  else if (!problem) toast(text.nothing, { tone: 'bad' });
}

function problemOf(end: RecordingEnd): string | null {
  switch (end.why) {
    case 'stopped':
      return null;
    case 'no-keyframe':
      return text.noKeyframe;
    case 'too-slow':
      return text.tooSlow;
    case 'full':
      return text.full(formatBytes(end.bytes));
    case 'failed':
      return text.failed(end.error instanceof Error ? end.error.message : String(end.error));
  }
}

function useWarningBeforeLeaving(active: boolean): void {
  useEffect(() => {
    if (!active) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [active]);
}
