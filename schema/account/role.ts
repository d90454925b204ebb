/** Roles of a team. Each role includes the permissions of the roles before it. A team always has exactly one owner. */
export const ROLES = ['viewer', 'member', 'admin', 'owner'] as const
export type Role = (typeof ROLES)[number]

/** The roles that a person can be given. The owner of a team is the person whose account it came with. */
export const GIVEN_ROLES = ['admin', 'member', 'viewer'] as const
export type GivenRole = (typeof GIVEN_ROLES)[number]

/** Returns whether `role` has the permissions of `needed`. */
export const atLeast = (role: Role, needed: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(needed)
