/**
 * Temporary files, which become a file of another name when they are complete, and their removal
 * if a signal ends the program.
 */
#ifndef TCPLAN_TEMPORARY_H
#define TCPLAN_TEMPORARY_H

/**
 * Receives the names of temporary files when they are created and removed, so that the program can
 * remove them if a signal ends it. Otherwise, temporary files of a killed program stay until the
 * next program writes the same file.
 */
struct tcplan_temporary_watch {
    void (*hold)(void);    /**< delays signals until release(), so that a file and the list of files
                              change together */
    void (*release)(void); /**< ends the delay; may be called only once after each hold() */
    int (*add)(const char *path); /**< returns a number for the file, whose name is valid until it
                                     is removed from the list */
    void (*remove)(int number);   /**< removes a file from the list; the file itself stays */
};

#endif
