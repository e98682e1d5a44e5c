/** The colours of one phone, all derived from one hue. */
export interface Theme {
  readonly hue: number;
  readonly isDark: boolean;
  readonly primary: string;
  readonly onPrimary: string;
  readonly primaryContainer: string;
  readonly onPrimaryContainer: string;
  readonly surface: string;
  readonly surfaceContainer: string;
  readonly surfaceHigh: string;
  /** A sheet of paper. */
  readonly paper: string;
  readonly onSurface: string;
  readonly onSurfaceVariant: string;
  readonly outline: string;
  readonly outlineVariant: string;
  readonly error: string;
}

export function themeFor(hue: number, isDark: boolean): Theme {
  const tone = (saturation: number, lightness: number) => `hsl(${hue}, ${saturation}%, ${lightness}%)`;
  if (isDark)
    return {
      hue,
      isDark,
      primary: tone(60, 78),
      onPrimary: tone(60, 16),
      primaryContainer: tone(40, 27),
      onPrimaryContainer: tone(70, 90),
      surface: tone(12, 8),
      surfaceContainer: tone(11, 12),
      surfaceHigh: tone(10, 18),
      paper: tone(10, 18),
      onSurface: tone(12, 91),
      onSurfaceVariant: tone(8, 76),
      outline: tone(6, 58),
      outlineVariant: tone(8, 30),
      error: '#ffb4ab',
    };
  return {
    hue,
    isDark,
    primary: tone(46, 42),
    onPrimary: '#ffffff',
    primaryContainer: tone(70, 90),
    onPrimaryContainer: tone(60, 18),
    surface: tone(40, 98),
    surfaceContainer: tone(30, 95),
    surfaceHigh: tone(24, 91),
    paper: '#ffffff',
    onSurface: tone(10, 11),
    onSurfaceVariant: tone(8, 30),
    outline: tone(6, 48),
    outlineVariant: tone(12, 81),
    error: '#ba1a1a',
  };
}
