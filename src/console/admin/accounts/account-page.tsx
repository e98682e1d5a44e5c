import type { Account } from '../../../contract/http/account.ts';
import { WarningIcon } from '../../icons.tsx';
import { KeyList } from '../../keys/key-list.tsx';
import { adminTexts } from '../../texts/admin.ts';
import { texts } from '../../texts.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Message } from '../../ui/message.tsx';
import { BackToList } from '../../ui/page-header.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { adminAddress } from '../admin-address.ts';
import { useAccount } from '../admin-queries.ts';
import { operatorSentence } from '../operator-sentence.ts';
import { AccountActions } from './account-actions.tsx';
import { AccountState } from './accounts-section.tsx';
import { inMegabytes } from './limit.ts';

const text = adminTexts.accounts;

/** Shows one account and its keys. */
export function AccountPage({ accountId }: { accountId: string }) {
  const account = useAccount(accountId);
  usePageTitle(account.data?.name ?? text.title);
  return (
    <>
      <BackToList href={adminAddress('accounts')}>{text.back}</BackToList>
      <Loaded query={account} sentence={operatorSentence}>
        {(found) => (found ? <Found account={found} /> : <NotFound />)}
      </Loaded>
    </>
  );
}

function Found({ account }: { account: Account }) {
  const { id, name, live_sessions } = account;
  return (
    <KeyList
      owner={{ id, name }}
      accountName={name}
      liveSessions={live_sessions}
      ownRole="admin"
      header={{
        title: name,
        state: (
          <>
            <AccountState account={account} />
            <AccountActions account={account} />
          </>
        ),
        subtitle:
          `${text.minutes}: ${text.used(account.minutes_used, account.quota_minutes)}. ` +
          `${text.live}: ${text.liveOf(live_sessions, account.max_sessions)}. ` +
          `${text.storageInUse}: ${storageOf(account.app_bytes, account.max_app_bytes)}. ` +
          `${text.artifactsInUse}: ${storageOf(account.artifact_bytes, account.max_artifact_bytes)}.`,
      }}
    />
  );
}

const storageOf = (used: number, limit: number | null) =>
  text.storageOf(inMegabytes(used), limit === null ? null : inMegabytes(limit));

function NotFound() {
  return (
    <Message
      title={texts.notFound.title}
      isPage
      icon={<WarningIcon className="size-6" />}
      action={<ButtonLink href={adminAddress('accounts')}>{text.back}</ButtonLink>}
    >
      {text.notFound}
    </Message>
  );
}
