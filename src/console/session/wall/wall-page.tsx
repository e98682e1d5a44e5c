import { useRef, useState, useSyncExternalStore } from 'react';
import { useLiveSessions } from '../../data/queries.ts';
import { WallIcon } from '../../icons.tsx';
import { navigate } from '../../router.tsx';
import { texts } from '../../texts.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { ErrorMessage, Message } from '../../ui/message.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { BackLink } from '../session-header.tsx';
import { useElementSize } from '../use-fit.ts';
import { Mirror } from './mirror.ts';
import { MirrorNotice } from './mirror-notice.tsx';
import { chosenOf, wallAddress } from './wall-address.ts';
import { cardSize, useWallLayout } from './wall-layout.ts';
import { WallPhone } from './wall-phone.tsx';
import { WallSizeField } from './wall-size-field.tsx';

const text = texts.wall;

/** Shows the account's phones side by side, or only those that the address names. */
export function WallPage({ search }: { search: string }) {
  const live = useLiveSessions();
  usePageTitle(text.title);
  const all = live.data ?? [];
  const chosen = chosenOf(search);
  const shown = all.filter(({ session_id }) => chosen.length === 0 || chosen.includes(session_id));
  const [layout, setLayout] = useWallLayout();
  const [mirror] = useState(() => new Mirror());
  const { isOn } = useSyncExternalStore(mirror.subscribe, mirror.state);
  const main = useRef<HTMLElement>(null);
  const card = cardSize(layout, useElementSize(main)?.height ?? 0);
  const hide = (hidden: string) =>
    navigate(wallAddress(shown.map(({ session_id }) => session_id).filter((id) => id !== hidden)));
  return (
    <div className="flex h-dvh flex-col">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line bg-panel px-3 py-2.5 sm:px-5">
        <BackLink />
        <h1 className="font-semibold">{text.title}</h1>
        {live.data && <p className="grow text-sm text-soft">{text.detail(shown.length, all.length)}</p>}
        {shown.length > 0 && <WallSizeField layout={layout} onChange={setLayout} />}
        {shown.length > 1 && (
          <Button
            size="small"
            aria-pressed={isOn}
            onClick={() => (isOn ? mirror.stop() : mirror.start())}
            className="aria-pressed:border-warn aria-pressed:text-warn"
          >
            {text.mirror}
          </Button>
        )}
        {shown.length < all.length && (
          <Button size="small" onClick={() => navigate('/wall')}>
            {text.showAll}
          </Button>
        )}
      </header>
      <MirrorNotice mirror={mirror} shown={shown.length} />
      <main ref={main} className="min-h-0 grow overflow-y-auto p-3 sm:p-5">
        {live.error && !live.data && <ErrorMessage error={live.error} onRetry={() => void live.refetch()} />}
        {live.data && shown.length === 0 && <NoPhones />}
        <div
          style={{ gridTemplateColumns: `repeat(auto-fill, minmax(min(100%, ${card.minWidth}px), 1fr))` }}
          className="grid gap-3 sm:gap-4"
        >
          {shown.map((session) => (
            <WallPhone
              key={session.session_id}
              session={session}
              inDoubt={live.isError}
              height={card.height}
              mirror={mirror}
              onHide={shown.length > 1 ? () => hide(session.session_id) : null}
            />
          ))}
        </div>
      </main>
    </div>
  );
}

function NoPhones() {
  return (
    <Message
      title={text.noneTitle}
      icon={<WallIcon className="size-6" />}
      action={
        <ButtonLink look="primary" href="/devices">
          {text.toDevices}
        </ButtonLink>
      }
    >
      {text.none}
    </Message>
  );
}
