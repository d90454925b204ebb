/** Returns the resident memory that `/proc/<pid>/status` states, in MB; 0 where it states none. */
export const residentMb = (status: string): number => Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1_024
