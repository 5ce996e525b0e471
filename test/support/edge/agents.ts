type Headers = Readonly<Record<string, string>>;

/** Requests of the agents that make cards of links: names and headers as they are seen at public sites. */
export const cardAgents: Readonly<Record<string, Headers>> = {
  Discord: {
    "user-agent": "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
    accept: "*/*",
    "accept-encoding": "gzip, br",
  },
  Slack: {
    "user-agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
    accept: "*/*",
    "accept-encoding": "gzip,deflate",
    range: "bytes=0-32768",
  },
  Mastodon: {
    "user-agent": "Mastodon/4.5.2 (http.rb/5.3.1; +https://mastodon.social/) Bot",
    accept: "text/html",
    "accept-encoding": "gzip",
  },
  WhatsApp: {
    "user-agent": "WhatsApp/2.23.20.0 A",
    accept: "*/*",
    "accept-encoding": "gzip",
    "accept-language": "en",
  },
  Telegram: {
    "user-agent": "TelegramBot (like TwitterBot)",
    accept: "*/*",
    "accept-encoding": "gzip, deflate",
  },
  X: {
    "user-agent": "Twitterbot/1.0",
    accept: "*/*",
    "accept-encoding": "gzip, deflate, br",
  },
  Facebook: {
    "user-agent": "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
    accept: "*/*",
    "accept-encoding": "deflate, gzip",
    range: "bytes=0-524287",
  },
  LinkedIn: {
    "user-agent": "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)",
    accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "accept-encoding": "gzip, deflate",
  },
  iMessage: {
    "user-agent":
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0",
    accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "accept-encoding": "gzip, deflate, br",
    "sec-fetch-dest": "document",
    "sec-fetch-mode": "navigate",
    "sec-fetch-site": "none",
  },
  Bluesky: {
    "user-agent":
      "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Bluesky Cardyb/1.1; +mailto:support@bsky.app) Chrome/120.0.0.0 Safari/537.36",
    accept: "text/html,*/*",
    "accept-encoding": "gzip, deflate, br",
  },
};

/** Who reads a page and is to get the game: people, also in an app's own browser, search engines and programs. */
export const readers: Readonly<Record<string, Headers>> = {
  Chromium: {
    "user-agent":
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/146.0.0.0 Safari/537.36",
    accept: "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
    "accept-encoding": "gzip, deflate, br, zstd",
    "sec-fetch-dest": "document",
    "sec-fetch-mode": "navigate",
    "sec-fetch-site": "none",
  },
  "a browser without Fetch Metadata": {
    "user-agent":
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/15.6 Safari/605.1.15",
    accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  },
  "Discord's own browser": {
    "user-agent":
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) discord/1.0.9219 Chrome/134.0.0.0 Electron/35.1.5 Safari/537.36",
    accept: "text/html,*/*",
  },
  "Instagram's own browser": {
    "user-agent":
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 389.0.0.33.99 (iPhone15,2; iOS 18_5; en_US)",
    accept: "text/html,*/*",
  },
  "LinkedIn's own browser": {
    "user-agent":
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [LinkedInApp]/9.31",
    accept: "text/html,*/*",
  },
  Google: {
    "user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    accept: "text/html,application/xhtml+xml,*/*;q=0.8",
  },
  curl: { "user-agent": "curl/8.14.1", accept: "*/*" },
};
