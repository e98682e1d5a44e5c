import { texts } from '../../texts.ts';
import { CaptureGallery, useCaptures } from '../captures/capture-gallery.tsx';
import { Section } from './section.tsx';
import type { ToolProps } from './tool-props.ts';

const text = texts.tools.captures;

/** The screenshots and recordings of this session. */
export function CapturesTool({ sessionId }: Pick<ToolProps, 'sessionId'>) {
  const items = useCaptures(sessionId);
  return (
    <Section title={text.title}>
      <p className="mb-3 text-sm text-soft">{items.length === 0 ? text.none : text.kept}</p>
      <CaptureGallery items={items} />
    </Section>
  );
}
