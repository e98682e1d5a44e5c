import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../account/account.tsx';
import { SharedAddress } from '../session/sharing/shared-address.tsx';
import { WatchLinkList } from '../session/sharing/watch-link-list.tsx';
import { watchLinksKey } from '../session/sharing/watch-link-queries.ts';
import { replayTexts as text } from '../texts/replay.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Labelled } from '../ui/field.tsx';
import { ErrorNote } from '../ui/message.tsx';
import { Select } from '../ui/select.tsx';

const USUAL_MINUTES = '1440';

/** Creates links to a recording, shows the address of a new one, and lists and revokes those of the session. */
export function ShareRecordingDialog({ sessionId, onClose }: { sessionId: string; onClose(): void }) {
  const client = useClient();
  const cache = useQueryClient();
  const [minutes, setMinutes] = useState(USUAL_MINUTES);
  const create = useMutation({
    mutationFn: () => client.createRecordingLink(sessionId, { expires_in: Number(minutes) }),
    // Only this dialog holds the address, so that it is gone when the dialog closes.
    gcTime: 0,
    onSettled: () => cache.invalidateQueries({ queryKey: watchLinksKey(sessionId) }),
  });
  return (
    <Dialog title={text.shareTitle} onClose={onClose}>
      <div className="space-y-5">
        <p className="text-soft">{text.shareExplain}</p>
        {create.data ? (
          <SharedAddress
            label={text.shareLink}
            address={create.data.page}
            isMain
            copy={text.shareCopy}
            copied={text.shareCopied}
            onCopied={onClose}
          />
        ) : (
          <>
            <Labelled label={text.shareFor}>
              {({ label }) => (
                <Select labelledBy={label} value={minutes} options={text.shareTimes} onChange={setMinutes} />
              )}
            </Labelled>
            <Button look="primary" busy={create.isPending} onClick={() => create.mutate()}>
              {text.shareCreate}
            </Button>
          </>
        )}
        <ErrorNote error={create.error} />
        <WatchLinkList
          sessionId={sessionId}
          shows="recording"
          // The address of a revoked link no longer works.
          onRevoked={(linkId) => linkId === create.data?.id && create.reset()}
        />
      </div>
    </Dialog>
  );
}
