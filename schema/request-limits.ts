/**
 * Bounds of requests in one API process, beside those of work (`WORK`) and of lists (`LIST_LIMITS`). Teams take turns.
 * What waits for too long, or finds that too many of its team wait, is 429.
 */
export const REQUEST_LIMITS = {
  /** Requests that are handled at the same time: of one team, and of all. */
  perTeam: 8,
  total: 32,
  /** Requests that wait: of one team, and of all. */
  teamWaiting: 512,
  waiting: 4_096,
  waitMs: 30_000,
  /** Bytes of bodies above the default size that are received and handled at the same time. */
  teamBodyBytes: 8 * 1024 * 1024,
  bodyBytes: 16 * 1024 * 1024,
  /** An answer with more bytes is counted until the client has it. */
  largeAnswerBytes: 256 * 1024,
  /** Bytes of such answers. */
  teamAnswerBytes: 8 * 1024 * 1024,
  answerBytes: 16 * 1024 * 1024,
  /** Bodies that wait for their bytes: of one team, and of all. */
  teamBodiesWaiting: 16,
  bodiesWaiting: 64,
  /** The same of answers, which are in memory meanwhile. */
  teamAnswersWaiting: 4,
  answersWaiting: 16,
  /** Bytes of pictures that are read and sent at the same time. The largest one has 15 MiB. */
  teamPictureBytes: 32 * 1024 * 1024,
  pictureBytes: 64 * 1024 * 1024,
  /** Pictures that wait for their bytes: a person opens pages of twenty. */
  teamPicturesWaiting: 128,
  picturesWaiting: 512,
  bytesWaitMs: 10_000,
  /**
   * Rounds of the event loop after a large body or answer, before the next request of its team has a turn. In each
   * round one connection is accepted, so that new connections do not wait for the requests of those before them.
   */
  roundsAfterLarge: 256,
  /** Time in which a client has to take a large answer or a picture. */
  takeMs: 60_000,
  /** Requests of one connection that wait for their answers. The connection of one more is ended. */
  ofConnection: 32,
} as const
