import { useUsage } from '../data/queries.ts';
import { keyTexts as text } from '../texts/keys.ts';
import { Loaded } from '../ui/loaded.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { KeyList } from './key-list.tsx';

/** Lists the keys of the user's own account. */
export function KeysPage() {
  usePageTitle(text.title);
  const usage = useUsage();
  return (
    <Loaded query={usage}>
      {({ account, role, sessions }) => (
        <KeyList
          owner={null}
          accountName={account}
          liveSessions={sessions.live}
          ownRole={role}
          header={{ title: text.title, subtitle: role === 'viewer' ? text.viewerOnly : text.subtitle }}
        />
      )}
    </Loaded>
  );
}
