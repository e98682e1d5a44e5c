import type { WatchLink, WatchLinkSubject } from '../../../contract/http/watch-link.ts';
import { exactTime } from '../../data/short-time.ts';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/message.tsx';
import { useRevokeWatchLink, useWatchLinks } from './watch-link-queries.ts';

const text = texts.share;
const time = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hourCycle: 'h23' });

interface WatchLinkListProps {
  sessionId: string;
  shows: WatchLinkSubject;
  onRevoked(linkId: string): void;
}

/** The watch links of a session, to its screen or to its recording. Renders nothing if there are none. */
export function WatchLinkList({ sessionId, shows, onRevoked }: WatchLinkListProps) {
  const links = useWatchLinks(sessionId);
  const revoke = useRevokeWatchLink(sessionId);
  const items = (links.data?.items ?? []).filter((link) => link.shows === shows);
  if (items.length === 0) return <ErrorNote error={links.error} />;
  return (
    <section aria-label={text.links[shows]}>
      <h3 className="mb-1.5 text-sm font-medium">{text.links[shows]}</h3>
      <ul className="max-h-40 divide-y divide-line overflow-y-auto rounded-lg border border-line">
        {items.map((link) => (
          <li
            key={link.id}
            tabIndex={-1}
            className="-outline-offset-2 flex min-h-13 items-center gap-3 px-3 py-2 text-sm"
          >
            <span className="min-w-0 grow break-words">{describe(link)}</span>
            {isUsable(link) ? (
              <Button
                size="small"
                aria-label={text.revokeOne(describe(link))}
                busy={revoke.isPending && revoke.variables === link.id}
                onClick={({ currentTarget }) => {
                  const row = currentTarget.closest('li');
                  const finish = () => {
                    // The button, which had the focus, goes away.
                    row?.focus();
                    onRevoked(link.id);
                  };
                  revoke.mutate(link.id, { onSuccess: finish });
                }}
              >
                {text.revoke}
              </Button>
            ) : (
              <span className="text-soft">{link.revoked_at === null ? text.expired : text.revoked}</span>
            )}
          </li>
        ))}
      </ul>
      <ErrorNote error={revoke.error} />
    </section>
  );
}

const isUsable = ({ revoked_at, expires_at }: WatchLink) =>
  revoked_at === null && (expires_at === null || Date.parse(expires_at) > Date.now());

function describe({ created_at, created_by, user, expires_at }: WatchLink): string {
  const by = user?.name ?? created_by.name;
  if (expires_at === null) return text.created(time.format(new Date(created_at)), by);
  return `${text.createdOn(exactTime(created_at), by)}, ${text.expires(exactTime(expires_at))}`;
}
