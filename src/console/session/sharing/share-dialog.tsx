import { watchPage } from '../../../client/watch-page.ts';
import type { Session } from '../../../contract/http/session.ts';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNote } from '../../ui/message.tsx';
import { SharedAddress } from './shared-address.tsx';
import { WatchLinkList } from './watch-link-list.tsx';
import { useCreateWatchLink } from './watch-link-queries.ts';

const text = texts.share;
const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

interface ShareDialogProps {
  session: Session;
  name: string;
  onClose(): void;
}

/** Creates watch links, shows the addresses of a new one, and lists and revokes those of the session. */
export function ShareDialog({ session, name, onClose }: ShareDialogProps) {
  const { session_id, expires_at } = session;
  const create = useCreateWatchLink(session_id);
  return (
    <Dialog title={text.title} onClose={onClose}>
      <div className="space-y-5">
        <p className="text-soft">
          {text.explain} {text.until(clock.format(new Date(expires_at)))}
        </p>
        {create.data ? (
          <Addresses streamUrl={create.data.stream_url} name={name} onClose={onClose} />
        ) : (
          <Button look="primary" busy={create.isPending} onClick={() => create.mutate()}>
            {text.create}
          </Button>
        )}
        <ErrorNote error={create.error} />
        <WatchLinkList
          sessionId={session_id}
          shows="screen"
          // The addresses of a revoked link no longer work.
          onRevoked={(linkId) => linkId === create.data?.id && create.reset()}
        />
      </div>
    </Dialog>
  );
}

/** Both addresses of a new link. */
function Addresses({ streamUrl, name, onClose }: { streamUrl: string; name: string; onClose(): void }) {
  return (
    <>
      <SharedAddress
        label={text.link}
        address={watchPage(location.origin, { streamUrl, name })}
        isMain
        copy={text.copy}
        copied={text.copied}
        onCopied={onClose}
      />
      <SharedAddress
        label={text.programs}
        hint={text.programsExplain}
        address={streamUrl}
        copy={text.copyAddress}
        copied={text.addressCopied}
        onCopied={onClose}
      />
    </>
  );
}
