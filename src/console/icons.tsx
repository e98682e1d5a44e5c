import {
  ArrowLeft,
  ArrowLeftRight,
  Ban,
  BatteryFull,
  BatteryLow,
  BatteryMedium,
  BookOpen,
  Camera,
  ChartColumn,
  ChevronDown,
  ChevronLeft,
  Circle,
  CircleCheck,
  CircleQuestionMark,
  CircleStop,
  Clock,
  CodeXml,
  Columns2,
  Ellipsis,
  Eye,
  History,
  Keyboard,
  KeyRound,
  LayoutGrid,
  Link,
  List,
  LoaderCircle,
  LogOut,
  type LucideIcon,
  Maximize,
  Minimize,
  Moon,
  Package,
  PanelRight,
  Pencil,
  Power,
  RefreshCw,
  RotateCwSquare,
  Scaling,
  Search,
  Smartphone,
  Square,
  Star,
  Sun,
  SunMoon,
  Trash2,
  TriangleAlert,
  Upload,
  Users,
  Video,
  Volume1,
  Volume2,
  Webhook,
  Wrench,
  X,
} from 'lucide-react';

interface IconProps {
  className?: string;
}

/** Icons are decorative. The label of a control describes what it does. */
export const icon = (Drawing: LucideIcon) =>
  function Icon({ className = 'size-5' }: IconProps) {
    return <Drawing strokeWidth={1.75} className={`shrink-0 ${className}`} />;
  };

export const ActualSizeIcon = icon(Scaling);
export const AppsIcon = icon(Square);
export const BackIcon = icon(ChevronLeft);
export const BatteryFullIcon = icon(BatteryFull);
export const BatteryLowIcon = icon(BatteryLow);
export const BatteryMediumIcon = icon(BatteryMedium);
export const BookIcon = icon(BookOpen);
export const CameraIcon = icon(Camera);
export const ChartIcon = icon(ChartColumn);
export const ChevronIcon = icon(ChevronDown);
export const ClockIcon = icon(Clock);
export const CloseIcon = icon(X);
export const CodeIcon = icon(CodeXml);
export const DisableIcon = icon(Ban);
export const EnableIcon = icon(CircleCheck);
export const EyeIcon = icon(Eye);
export const FullscreenIcon = icon(Maximize);
export const GridIcon = icon(LayoutGrid);
export const HelpIcon = icon(CircleQuestionMark);
export const HistoryIcon = icon(History);
export const HomeIcon = icon(Circle);
export const KeyIcon = icon(KeyRound);
export const KeyboardIcon = icon(Keyboard);
export const LeaveFullscreenIcon = icon(Minimize);
export const LinkIcon = icon(Link);
export const ListIcon = icon(List);
export const MembersIcon = icon(Users);
export const MoonIcon = icon(Moon);
export const MoreIcon = icon(Ellipsis);
export const MoveIcon = icon(ArrowLeftRight);
export const PackageIcon = icon(Package);
export const PageBackIcon = icon(ArrowLeft);
export const PencilIcon = icon(Pencil);
export const PhoneIcon = icon(Smartphone);
export const PowerIcon = icon(Power);
export const RecordIcon = icon(Video);
export const RotateIcon = icon(RotateCwSquare);
export const RotateSecretIcon = icon(RefreshCw);
export const SearchIcon = icon(Search);
export const SignOutIcon = icon(LogOut);
export const SpinnerIcon = icon(LoaderCircle);
export const StarIcon = icon(Star);
export const StopIcon = icon(CircleStop);
export const SunIcon = icon(Sun);
export const SystemIcon = icon(SunMoon);
export const ToolsIcon = icon(PanelRight);
export const TrashIcon = icon(Trash2);
export const UploadIcon = icon(Upload);
export const VolumeDownIcon = icon(Volume1);
export const VolumeUpIcon = icon(Volume2);
export const WallIcon = icon(Columns2);
export const WarningIcon = icon(TriangleAlert);
export const WebhookIcon = icon(Webhook);
export const WrenchIcon = icon(Wrench);

export function BrandMark({ className = 'size-8' }: IconProps) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={`shrink-0 ${className}`}>
      <rect width="32" height="32" rx="8" fill="#b5301c" />
      <rect x="10" y="6" width="12" height="20" rx="3" fill="none" stroke="#fff" strokeWidth="2" />
      <path d="M10 13.5h12M10 19.5h12M16 7v18" stroke="#fff" strokeWidth="1.5" opacity=".75" />
    </svg>
  );
}
