export * from './inputs/configuration'
export * from './inputs/record'
