/** The colours of one phone, all derived from one hue. */
export interface Theme {
  readonly hue: number;
  readonly primary: string;
  readonly onPrimary: string;
  readonly primaryContainer: string;
  readonly onPrimaryContainer: string;
  readonly surface: string;
  readonly surfaceContainer: string;
  readonly surfaceHigh: string;
  readonly onSurface: string;
  readonly onSurfaceVariant: string;
  readonly outline: string;
  readonly outlineVariant: string;
  readonly error: string;
}

export function themeFor(hue: number): Theme {
  const tone = (saturation: number, lightness: number) => `hsl(${hue}, ${saturation}%, ${lightness}%)`;
  return {
    hue,
    primary: tone(46, 42),
    onPrimary: '#ffffff',
    primaryContainer: tone(70, 90),
    onPrimaryContainer: tone(60, 18),
    surface: tone(40, 98),
    surfaceContainer: tone(30, 95),
    surfaceHigh: tone(24, 91),
    onSurface: tone(10, 11),
    onSurfaceVariant: tone(8, 30),
    outline: tone(6, 48),
    outlineVariant: tone(12, 81),
    error: '#ba1a1a',
  };
}
