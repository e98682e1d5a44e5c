import type { Image } from '@napi-rs/canvas';
import { sharedPath } from '../../../contract/http/phone-file.ts';
import { type PhoneFileEntry, PhoneFileError } from '../../driver.ts';
import { type Rect, rect } from '../ui/geometry.ts';
import type { Painter } from '../ui/painter.ts';
import { Scroller } from '../ui/scroller.ts';
import { TextLayout } from '../ui/text-layout.ts';
import type { View } from '../ui/view.ts';
import type { App, AppHost, Area } from './app.ts';
import { decodePicture } from './picture.ts';
import { backButton } from './widgets.ts';

const ROW = 60;
const LINE = 22;
const TEXT_SIZE = 15;
/** Characters of a text file that are shown. */
const MAX_TEXT = 4_000;
const TEXT_FILE = /\.(?:txt|md|csv|json|xml|log|html?)$/i;
const PICTURE_FILE = /\.(?:png|jpe?g)$/i;

type Path = readonly string[];

interface OpenFile {
  path: Path;
  /** Identifies the content that was read. */
  version: number;
  size: number;
  text: string | null;
  picture: Image | null;
}

/** Shows the files of the shared storage: folders, texts and pictures. */
export class FilesApp implements App {
  readonly #host: AppHost;
  readonly #scroller: Scroller;
  readonly #layout: TextLayout;
  #folder: Path = [];
  #open: OpenFile | null = null;

  constructor(host: AppHost) {
    this.#host = host;
    this.#scroller = new Scroller(host.animator, () => host.invalidate());
    this.#layout = new TextLayout((text) => host.measure(text, TEXT_SIZE), LINE);
  }

  onBack(): boolean {
    if (this.#open) this.#open = null;
    else if (this.#folder.length > 0) this.#folder = this.#folder.slice(0, -1);
    else return false;
    this.#scroller.jumpTo(0);
    this.#host.invalidate();
    return true;
  }

  view(area: Area): View {
    this.#refresh();
    return this.#open ? this.#file(this.#open, area) : this.#list(area);
  }

  /** A file or folder may have been replaced or deleted since it was opened. */
  #refresh(): void {
    const { storage } = this.#host;
    if (this.#open) {
      const { path, version } = this.#open;
      const now = attempt(() => storage().open(path));
      if (now === null) this.#open = null;
      else if (now.version !== version) this.#show(path);
    }
    while (this.#folder.length > 0 && attempt(() => storage().list(this.#folder)) === null)
      this.#folder = this.#folder.slice(0, -1);
  }

  #list(area: Area): View {
    const { items } = this.#host.storage().list(this.#folder);
    const list = contentOf(area);
    this.#scroller.layout(list.height, items.length * ROW + 24);
    const first = Math.max(0, Math.floor(this.#scroller.offset / ROW));
    const shown = items.slice(first, first + Math.ceil(list.height / ROW) + 1);
    const rows = shown.map((item, index) =>
      this.#row(item, rect(list.x, list.y + (first + index) * ROW - this.#scroller.offset, list.width, ROW)),
    );
    const empty: View[] = items.length > 0 ? [] : [this.#line('empty', 'This folder is empty', list, 0)];
    return this.#screen(area, this.#folder.at(-1) ?? 'Files', this.#folder.length > 0, [
      { role: 'list', id: 'files', bounds: list, clip: true, drag: this.#scroller, children: rows },
      ...empty,
    ]);
  }

  #row({ name, kind, size }: PhoneFileEntry, bounds: Rect): View {
    const { theme } = this.#host;
    const path = [...this.#folder, name];
    const isFolder = kind === 'folder';
    return {
      role: kind,
      id: `file-${sharedPath(path)}`,
      text: name,
      bounds,
      onTap: () => (isFolder ? this.#enter(path) : this.#show(path)),
      draw: (painter, { pressed }) => {
        if (pressed) painter.fill(bounds, theme.surfaceHigh, 14);
        const icon = isFolder ? 'folder' : PICTURE_FILE.test(name) ? 'wallpaper' : 'note';
        const color = isFolder ? theme.primary : theme.onSurfaceVariant;
        painter.icon(icon, { x: bounds.x + 26, y: bounds.y + ROW / 2 }, 26, color);
        const maxWidth = bounds.width - 72;
        const { x, y } = bounds;
        painter.text(name, x + 56, y + (isFolder ? 36 : 27), { size: 16, color: theme.onSurface, maxWidth });
        if (isFolder) return;
        painter.text(sizeOf(size), x + 56, y + 47, { size: 13, color: theme.onSurfaceVariant, maxWidth });
      },
    };
  }

  #file(file: OpenFile, area: Area): View {
    const bounds = contentOf(area);
    const name = file.path.at(-1)!;
    const facts = this.#line('file-size', sizeOf(file.size), bounds, 0);
    const below = rect(bounds.x, bounds.y + 40, bounds.width, bounds.height - 40);
    const { picture, text } = file;
    const content = picture
      ? [this.#picture(picture, name, below)]
      : text === null
        ? []
        : [this.#text(text, below)];
    return this.#screen(area, name, true, [facts, ...content]);
  }

  #picture(picture: Image, name: string, within: Rect): View {
    const scale = Math.min(within.width / picture.width, within.height / picture.height, 2);
    const [width, height] = [picture.width * scale, picture.height * scale];
    const bounds = rect(within.x + (within.width - width) / 2, within.y, width, height);
    return {
      role: 'image',
      id: 'picture',
      text: name,
      bounds,
      draw: (painter) => painter.image(picture, bounds),
    };
  }

  #text(text: string, bounds: Rect): View {
    const { theme } = this.#host;
    const layout = this.#layout;
    const height = LINE * Math.max(1, this.#host.settings.fontScale);
    layout.update(text, bounds.width);
    this.#scroller.layout(bounds.height, layout.lines.length * height + 24);
    const draw = (painter: Painter) => {
      const top = bounds.y - this.#scroller.offset;
      for (const [row, { start, end }] of layout.lines.entries()) {
        const y = top + row * height + 16;
        if (y < bounds.y - height || y > bounds.y + bounds.height + height) continue;
        painter.text(text.slice(start, end).trimEnd(), bounds.x, y, {
          size: TEXT_SIZE,
          color: theme.onSurface,
        });
      }
    };
    const id = 'file-text';
    const child: View = { role: 'text', id, text, bounds, draw };
    return { role: 'list', id: 'content', bounds, clip: true, drag: this.#scroller, children: [child] };
  }

  #line(id: string, text: string, { x, y, width }: Rect, offset: number): View {
    const { theme } = this.#host;
    const bounds = rect(x, y + offset, width, 24);
    return {
      role: 'text',
      id,
      text,
      bounds,
      draw: (painter) =>
        painter.text(text, x, bounds.y + 17, { size: 14, color: theme.onSurfaceVariant, maxWidth: width }),
    };
  }

  #screen({ screen, safe }: Area, title: string, hasBack: boolean, children: View[]): View {
    const { theme } = this.#host;
    const left = safe.x + (hasBack ? 64 : 24);
    const back = backButton(rect(safe.x + 10, safe.y + 14, 44, 44), theme, () => this.onBack());
    return {
      role: 'screen',
      id: 'files-screen',
      text: title,
      bounds: screen,
      draw: (painter) => {
        painter.fill(screen, theme.surface);
        const maxWidth = safe.x + safe.width - 16 - left;
        painter.text(title, left, safe.y + 44, { size: 22, color: theme.onSurface, maxWidth });
      },
      children: [...(hasBack ? [back] : []), ...children],
    };
  }

  #enter(path: Path): void {
    this.#folder = path;
    this.#scroller.jumpTo(0);
    this.#host.invalidate();
  }

  #show(path: Path): void {
    const { storage, invalidate } = this.#host;
    const name = path.at(-1)!;
    const file = attempt(() => storage().open(path));
    if (!file) return;
    const { version, size } = file;
    const text = TEXT_FILE.test(name) ? textOf(storage().readAt(path, version, 0, MAX_TEXT * 4)) : null;
    const open: OpenFile = { path, version, size, text, picture: null };
    this.#open = open;
    this.#scroller.jumpTo(0);
    invalidate();
    if (!PICTURE_FILE.test(name)) return;
    void decodePicture(storage().read(path)).then((picture) => {
      open.picture = picture;
      if (this.#open === open) invalidate();
    });
  }
}

const contentOf = ({ screen, safe }: Area) =>
  rect(safe.x + 16, safe.y + 72, safe.width - 32, screen.y + screen.height - safe.y - 72);

/** The start of a text, without characters that cannot be drawn. */
function textOf(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes).slice(0, MAX_TEXT);
  return text.replaceAll('\r', '').replaceAll(/[^\P{Cc}\n\t]/gu, '');
}

const sizeOf = (bytes: number) => `${bytes.toLocaleString('en')} bytes`;

/** Returns null if the file or folder does not exist. */
function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof PhoneFileError) return null;
    throw error;
  }
}
