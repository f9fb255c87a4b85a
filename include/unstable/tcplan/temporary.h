/**
 * Files that are first written under another name, and their removal if a signal ends the program.
 */
#ifndef TCPLAN_TEMPORARY_H
#define TCPLAN_TEMPORARY_H

/**
 * Told about temporary files as they come and go, so that the program can remove them when it is
 * ended. Without it, those of a killed program stay until the next one writes the same file.
 */
struct tcplan_temporary_watch {
    void (*hold)(void); /**< signals wait until release(): files and their list change together */
    void (*release)(void);        /**< may be called once only for each hold() */
    int (*add)(const char *path); /**< returns a number for the file, whose name lives until it is
                                     removed from the list */
    void (*remove)(int number);   /**< from the list; the file itself stays */
};

#endif
