export * from './inputs/configuration'
export * from './inputs/record'
export * from './rest/record'
