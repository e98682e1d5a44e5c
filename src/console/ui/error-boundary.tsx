import { Component, type ReactNode } from 'react';
import { WarningIcon } from '../icons.tsx';
import { texts } from '../texts.ts';
import { ReloadButton } from './load-failure.tsx';
import { Message } from './message.tsx';

/**
 * Catches unexpected errors of the console, so that the user sees a message and a next step instead of an empty page.
 */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <main role="alert">
        <Message
          title={texts.errors.title}
          isPage
          icon={<WarningIcon className="size-6" />}
          action={<ReloadButton />}
        >
          {texts.errors.crash}
        </Message>
      </main>
    );
  }
}
