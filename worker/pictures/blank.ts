/**
 * One white pixel. It is the picture of a region that is not on the page, so that the region's appearance and
 * disappearance are changes of size.
 */
export const BLANK: Uint8Array = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAA' +
    'DElEQVQImWP4//8/AAX+Av5Y8msOAAAAAElFTkSuQmCC',
  'base64',
)
