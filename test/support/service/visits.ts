/** The headers of a browser that opens a page. */
export const opening = { "sec-fetch-dest": "document", "sec-fetch-site": "none" };
