/**
 * The contract: schemas and types of everything that crosses a wire or is stored. Pure: compiled with neither DOM
 * nor Node types, so both the host and the browser can import it by value. It must never do anything.
 */
export { answerText } from './answer-text';
export { BoardSnapshot, type BoardUpdate } from './board';
export {
  type ChatItem,
  type ChatKind,
  type ChatPage,
  type ChatPatch,
  type ChatRow,
  type ChatUpdate,
  type FileDiff,
  type LiveText,
  MAX_OUTPUT,
  type ToolKind,
  type ToolOutcome,
  type ToolResult,
} from './chat';
export { ControlReply, ControlRequest, HostReport, HostStatus } from './control';
export { AppError, ErrorCode, ErrorShape } from './errors';
export { DomainEvent, type LoggedEvent, streamOf } from './events';
export { FoundFiles } from './files';
export { Challenge, EnrolReply, EnrolRequest, Hello, Welcome } from './handshake';
export { CLOSE, enrolText, helloText, PROTOCOL } from './handshake-text';
export { DeviceId, MessageId, NeedId, ProjectId, SessionId, VendorId, WorktreeId } from './ids';
export {
  IMAGE_CHUNK,
  type ImageBytes,
  ImageChunk,
  ImageName,
  imageKind,
  imageType,
  MAX_IMAGE,
  MAX_IMAGES,
} from './image';
export { commandOf, Draft, MAX_MESSAGE, Message, MessageState, SendMessage } from './message';
export {
  AnswerDetail,
  Decision,
  MAX_DETAIL,
  Need,
  NeedForm,
  NeedKind,
  NeedState,
  Question,
  SignedAnswer,
} from './need';
export { Project, Worktree } from './project';
export { ALL_SCOPES, PROCEDURE_SCOPES, type ProcedureName, Scope, TERMINAL_SCOPES } from './scopes';
export { SECTIONS, type Section, sectionOf } from './sections';
export { Mode, Quota, QuotaWindow, Session, SessionKind } from './session';
export { StartSession, WorkplaceChoice } from './start';
export { Evidence, EvidenceSource, SessionState } from './state';
export {
  ACK_BYTES,
  C2S,
  type ClientFrame,
  CREDIT_RESUME,
  CREDIT_STOP,
  cutText,
  decodeClient,
  decodeServer,
  encodeClient,
  encodeServer,
  MAX_CLIENT_FRAME,
  MAX_OUT,
  S2C,
  type ServerFrame,
  type TerminalInfo,
} from './terminal-frames';
export { Check, Detection, VendorCommand, VendorManifest } from './vendor';
