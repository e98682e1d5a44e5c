import type { ReactNode } from 'react';

interface IconProps {
  className?: string;
}

/** Icons are decorative. The label of a control describes what it does. */
export const icon = (children: ReactNode) =>
  function Icon({ className = 'size-5' }: IconProps) {
    return (
      <svg
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.75"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        className={`shrink-0 ${className}`}
      >
        {children}
      </svg>
    );
  };

export const BackIcon = icon(<path d="M15 5 8 12l7 7" />);
export const HomeIcon = icon(<circle cx="12" cy="12" r="6.5" />);
export const AppsIcon = icon(<rect x="6" y="6" width="12" height="12" rx="2" />);
export const PowerIcon = icon(<path d="M12 3.5v8M6.8 6.8a7.5 7.5 0 1 0 10.4 0" />);
export const VolumeUpIcon = icon(<path d="M4 10v4h3l4.5 4V6L7 10H4Zm12 2h5m-2.5-2.5v5" />);
export const VolumeDownIcon = icon(<path d="M4 10v4h3l4.5 4V6L7 10H4Zm12 2h5" />);
export const RotateIcon = icon(
  <>
    <rect x="9" y="8.5" width="7" height="12" rx="1.75" />
    <path d="M5 14.5V9a5 5 0 0 1 5-5h3m0 0-2-2m2 2-2 2" />
  </>,
);
export const CameraIcon = icon(
  <>
    <path d="M4 8.5A1.5 1.5 0 0 1 5.5 7h2.2l1.2-2h6.2l1.2 2h2.2A1.5 1.5 0 0 1 20 8.5v9a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 4 17.5v-9Z" />
    <circle cx="12" cy="12.8" r="3.3" />
  </>,
);
export const LinkIcon = icon(
  <path d="M10 13.5a4 4 0 0 0 5.8.3l3-3a4 4 0 0 0-5.7-5.7L12 6.2m2 4.3a4 4 0 0 0-5.8-.3l-3 3a4 4 0 0 0 5.7 5.7l1.1-1.1" />,
);
export const KeyboardIcon = icon(
  <>
    <rect x="3" y="6.5" width="18" height="11" rx="2" />
    <path d="M7 10h.01M10.3 10h.01M13.6 10h.01M17 10h.01M8.5 14h7" />
  </>,
);
export const HelpIcon = icon(
  <>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M9.6 9.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.2.9-1.2 1.8m0 2.8h.01" />
  </>,
);
export const ClockIcon = icon(
  <>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M12 7.5V12l3 2" />
  </>,
);
export const SearchIcon = icon(
  <>
    <circle cx="11" cy="11" r="6" />
    <path d="m15.5 15.5 4 4" />
  </>,
);
export const ChevronIcon = icon(<path d="m7 10 5 5 5-5" />);
export const CloseIcon = icon(<path d="m6.5 6.5 11 11m0-11-11 11" />);
export const SunIcon = icon(
  <>
    <circle cx="12" cy="12" r="3.8" />
    <path d="M12 3v1.8m0 14.4V21M3 12h1.8m14.4 0H21M5.6 5.6l1.3 1.3m10.2 10.2 1.3 1.3m0-12.8-1.3 1.3M6.9 17.1l-1.3 1.3" />
  </>,
);
export const MoonIcon = icon(<path d="M19.5 14A8 8 0 0 1 10 4.5 8 8 0 1 0 19.5 14Z" />);
export const SystemIcon = icon(
  <>
    <circle cx="12" cy="12" r="8" />
    <path d="M12 4v16a8 8 0 0 0 0-16Z" fill="currentColor" />
  </>,
);
export const SignOutIcon = icon(
  <path d="M13 5H7a2 2 0 0 0-2 2v10a2 2 0 0 0 2 2h6m3-3.5 3.5-3.5L16 8.5M19 12h-8.5" />,
);
export const BookIcon = icon(
  <path d="M5 5.5A1.5 1.5 0 0 1 6.5 4H19v13H6.5A1.5 1.5 0 0 0 5 18.5v-13Zm0 13A1.5 1.5 0 0 0 6.5 20H19v-3" />,
);
export const CodeIcon = icon(<path d="m8.5 8-4 4 4 4m7-8 4 4-4 4m-2-10-3 12" />);
export const WebhookIcon = icon(
  <path d="M9.5 8.8a3.2 3.2 0 1 1 4.6 1.2l2.6 4.6m-7.9 2.2a3.2 3.2 0 1 1-4-4.6M12 7.5l-4.3 8.3m1.8.7h6a3.2 3.2 0 1 1 1.5 2.7" />,
);
export const MoveIcon = icon(<path d="M4 8.5h15m-4-4 4 4-4 4M20 15.5H5m4-4-4 4 4 4" />);
export const WarningIcon = icon(<path d="M12 4.5 3.5 19h17L12 4.5Zm0 5.5v4m0 2.5h.01" />);
export const PhoneIcon = icon(
  <>
    <rect x="7" y="3.5" width="10" height="17" rx="2.5" />
    <path d="M11 17.5h2" />
  </>,
);
export const EyeIcon = icon(
  <>
    <path d="M3 12s3.3-6 9-6 9 6 9 6-3.3 6-9 6-9-6-9-6Z" />
    <circle cx="12" cy="12" r="2.6" />
  </>,
);
export const PackageIcon = icon(
  <path d="M12 3.5 19.5 7.6v8.8L12 20.5l-7.5-4.1V7.6L12 3.5Zm-7.3 4.2L12 12l7.3-4.3M12 12v8.3M8.2 5.6l7.4 4.2" />,
);
export const UploadIcon = icon(
  <path d="M12 15.5V4.5m0 0L8 8.5m4-4 4 4M4.5 15v3A1.5 1.5 0 0 0 6 19.5h12a1.5 1.5 0 0 0 1.5-1.5v-3" />,
);
export const PencilIcon = icon(
  <path d="M4.5 19.5v-3.6L15.6 4.8a1.7 1.7 0 0 1 2.4 0l1.2 1.2a1.7 1.7 0 0 1 0 2.4L8.1 19.5H4.5ZM13.6 6.8l3.6 3.6" />,
);
export const KeyIcon = icon(
  <>
    <circle cx="8" cy="15.5" r="4" />
    <path d="M11 12.7 19 4.7m-3.5 3.5 2.6 2.6m-5-.1 1.7 1.7" />
  </>,
);
export const TrashIcon = icon(
  <path d="M4.5 7h15M9.5 7V5.2A1.2 1.2 0 0 1 10.7 4h2.6a1.2 1.2 0 0 1 1.2 1.2V7m2.7 0-.7 11.1a1.5 1.5 0 0 1-1.5 1.4H9a1.5 1.5 0 0 1-1.5-1.4L6.8 7m3.7 3.5v5.5m3-5.5v5.5" />,
);
export const ToolsIcon = icon(
  <>
    <rect x="3.5" y="5" width="17" height="14" rx="2" />
    <path d="M14 5v14m2.5-10.5h1.5m-1.5 3h1.5" />
  </>,
);
export const FullscreenIcon = icon(<path d="M4.5 9V4.5H9m6 0h4.5V9m0 6v4.5H15m-6 0H4.5V15" />);
export const LeaveFullscreenIcon = icon(<path d="M9 4.5V9H4.5m15 0H15V4.5m0 15V15h4.5m-15 0H9v4.5" />);
export const RecordIcon = icon(
  <>
    <circle cx="12" cy="12" r="8.5" />
    <circle cx="12" cy="12" r="3.6" fill="currentColor" />
  </>,
);
export const StopIcon = icon(
  <>
    <circle cx="12" cy="12" r="8.5" />
    <rect x="9" y="9" width="6" height="6" rx="1" fill="currentColor" />
  </>,
);
export const MoreIcon = icon(<path d="M5.5 12h.01M12 12h.01M18.5 12h.01" strokeWidth="3" />);
export const ActualSizeIcon = icon(
  <>
    <rect x="3.5" y="5" width="17" height="14" rx="2" />
    <path d="M8 9.5v5m8-5v5m-4-4h.01m-.01 3.5h.01" />
  </>,
);
export const ChartIcon = icon(<path d="M4 19.5h16M6.5 16v-4m5.5 4V6m5.5 10v-7" />);
export const GridIcon = icon(
  <>
    <rect x="4" y="4" width="6.5" height="6.5" rx="1.5" />
    <rect x="13.5" y="4" width="6.5" height="6.5" rx="1.5" />
    <rect x="4" y="13.5" width="6.5" height="6.5" rx="1.5" />
    <rect x="13.5" y="13.5" width="6.5" height="6.5" rx="1.5" />
  </>,
);
export const ListIcon = icon(<path d="M4 6.5h16M4 12h16M4 17.5h16" />);
export const StarIcon = icon(
  <path d="m12 4 2.4 5.1 5.6.7-4.1 3.8 1.1 5.5-5-2.8-5 2.8 1.1-5.5L4 9.8l5.6-.7L12 4Z" />,
);
export const WallIcon = icon(
  <>
    <rect x="3.5" y="5" width="7" height="14" rx="1.75" />
    <rect x="13.5" y="5" width="7" height="14" rx="1.75" />
  </>,
);
export const SpinnerIcon = icon(<path d="M12 4a8 8 0 1 1-8 8" />);

export function BrandMark({ className = 'size-8' }: IconProps) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={`shrink-0 ${className}`}>
      <rect width="32" height="32" rx="8" fill="#b5301c" />
      <rect x="10" y="6" width="12" height="20" rx="3" fill="none" stroke="#fff" strokeWidth="2" />
      <path d="M10 13.5h12M10 19.5h12M16 7v18" stroke="#fff" strokeWidth="1.5" opacity=".75" />
    </svg>
  );
}
