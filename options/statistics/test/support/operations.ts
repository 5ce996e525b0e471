export const statisticsOperations = {
  getStatistics: async ({ slug }: { readonly slug: string }) => ({
    method: "GET",
    path: `/projects/${slug}/statistics`,
  }),
};

export const statisticsRoutes = { needPublish: ["getStatistics"], ofPeople: ["getStatistics"] } as const;
