import type {
  BoardSnapshot,
  BoardUpdate,
  ChatPage,
  ChatUpdate,
  Check,
  Detection,
  DeviceId,
  Draft,
  FoundFiles,
  ImageBytes,
  ImageChunk,
  ImageName,
  Message,
  MessageId,
  Need,
  Project,
  ProjectId,
  Scope,
  SendMessage,
  Session,
  SessionId,
  SignedAnswer,
  StartSession,
  VendorCommand,
  Worktree,
} from '../contract';

/** Who calls: the device that proved itself on this socket. Never taken from a message (S-11). */
export interface Caller {
  deviceId: DeviceId;
  label: string;
  scopes: readonly Scope[];
}

export interface FolderEntry {
  name: string;
  path: string;
  repository: boolean; // has a .git; nothing of git was run to find out
}
export interface FolderListing {
  path: string;
  parent: string | null;
  entries: FolderEntry[];
  truncated: boolean;
}
/** What `projects.add` answers: `trust` lists what git would run in this repository, for the question of S-33. */
export interface AddedProject {
  project: Project;
  trust: { asked: boolean; risks: string[]; digest: string };
}
export interface BranchList {
  current: string | null;
  head: string | null; // commit of HEAD, short
  branches: { name: string; commit: string; remote: boolean }[];
}
export interface HostInfo {
  version: string;
  serverId: string;
  hostName: string;
  home: string; // the user's home folder, for showing short paths
  demo: boolean;
  scopes: Scope[]; // of the calling device
  deviceLabel: string;
}
export interface DeviceRow {
  id: DeviceId;
  label: string;
  scopes: Scope[];
  created: number;
  lastSeen: number | null;
  revoked: number | null;
  you: boolean;
}

/** What the API needs from the workflows; `main.ts` hands it in. Every method may throw AppError. */
export interface Services {
  board: {
    snapshot(): BoardSnapshot;
    /** Yields rows after `after` (a log position), or a snapshot first when null or too old. Ends with `signal`. */
    feed(after: number | null, signal: AbortSignal): AsyncGenerator<{ seq: number; update: BoardUpdate }>;
  };
  host: {
    info(caller: Caller): HostInfo;
    checks(): Promise<{ checks: Check[]; vendors: Detection[] }>;
  };
  sessions: {
    start(input: StartSession): Promise<Session>;
    resume(id: SessionId): Promise<Session>;
    rename(id: SessionId, name: string): Session;
    commands(id: SessionId): Promise<VendorCommand[]>;
    files(id: SessionId, query: string): Promise<FoundFiles>;
    seen(id: SessionId): void;
    archive(id: SessionId, archived: boolean): Session;
    interrupt(id: SessionId): Promise<void>;
    end(id: SessionId): Promise<void>;
  };
  chat: {
    page(
      of: { id: SessionId; agent: string | null },
      before: { generation: string; offset: number },
    ): Promise<ChatPage>;
    /** One picture of the record that begins at `at.offset`. */
    image(
      of: { id: SessionId; agent: string | null },
      at: { generation: string; offset: number; index: number },
    ): Promise<ImageBytes>;
    /** The tail or what came after `after`, then whatever comes. Ends with `signal`. */
    follow(
      of: { id: SessionId; agent: string | null },
      after: { generation: string; to: number } | null,
      signal: AbortSignal,
    ): AsyncGenerator<ChatUpdate>;
  };
  messages: {
    send(caller: Caller, input: SendMessage): Message;
    edit(id: MessageId, change: { text?: string; before?: MessageId | null }): Message;
    remove(id: MessageId): Message;
    retry(id: MessageId): Message;
    draft(id: SessionId): Draft;
    earlier(id: SessionId): string[];
    keepDraft(id: SessionId, draft: Draft): void;
    putImage(chunk: ImageChunk): Promise<ImageName | null>;
    image(id: SessionId, image: ImageName): Promise<ImageBytes>;
  };
  needs: {
    answer(caller: Caller, input: SignedAnswer): Promise<Need>;
    history(sessionId: SessionId): Need[];
  };
  projects: {
    browse(path: string | null): Promise<FolderListing>;
    add(path: string): Promise<AddedProject>;
    trust(id: ProjectId, digest: string): Promise<Project>;
    branches(id: ProjectId): Promise<BranchList>;
    worktrees(id: ProjectId): Promise<Worktree[]>;
  };
  devices: {
    list(caller: Caller): DeviceRow[];
    revoke(id: DeviceId): void;
  };
}
